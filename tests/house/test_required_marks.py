"""The style sheet marks the labels of required fields visibly."""

import re
from pathlib import Path

TEMPLATES = Path(__file__).parents[2] / "serving_api" / "templates"
MARK = 'label:has(+ :required)::after { content: " (required)" / "";'
TAG = re.compile(r"(?s)\{[{%#].*?[}%#]\}")
FIELD = re.compile(r"<(?:input|select|textarea)\b[^>]*\brequired\b")
FILLED = ("consent.html", "desk_period.html")
"""Their required selects and dates are inside the labels, and are never empty."""


def test_each_required_field_follows_its_label() -> None:
    assert MARK in (TEMPLATES / "page.css").read_text("utf-8")
    before = []
    for path in TEMPLATES.glob("*.html"):
        text = TAG.sub("", path.read_text("utf-8"))
        found = () if path.name in FILLED else FIELD.finditer(text)
        before += [(path.name, text[: field.start()].rstrip()[-40:]) for field in found]
    assert len(before) > 5
    assert not [each for each in before if not each[1].endswith("</label>")]
