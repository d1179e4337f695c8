"""The overview of a project: what happened, and what waits for somebody."""

import re

import pytest

from serving_api.desk.needs import at_least
from tests.factories.visitors import read
from tests.fixtures.charts import charts_of, values_of
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import HOSTILE, Launched, launched

__all__ = ["launched"]


def sections(page: str) -> dict[str, str]:
    """The text of each section, by its heading."""
    parts = re.split(r"<h2[^>]*>", page)[1:]
    return {
        part.split("</h2>")[0]: " ".join(re.sub(r"<[^>]+>", " ", part.split("</h2>")[1]).split())
        for part in parts
    }


def test_an_empty_project_says_so(admin: Sitter) -> None:
    page = admin.get(admin.home)
    text_by_section = sections(page.text)
    assert "No numbers yet." in read(page)
    first = "No account is tracked yet. Add a creator to start."
    assert text_by_section["To do"] == first
    assert f'href="{admin.home}/creators/new">Add a creator</a>' in page.text
    admin.tenant.creator("ada")
    assert "No account is tracked yet" not in admin.get(admin.home).text
    assert text_by_section["Last 28 days"] == "No views are known for these days."
    assert text_by_section["The program, last 30 days"].startswith(
        "Posts \u2013 not known Views on them \u2013 not known"
    )
    assert text_by_section["Budgets"].startswith("No budgets yet.")
    assert "Forecast" not in read(page)


@pytest.mark.slow
def test_what_happened_and_what_waits(launched: Launched) -> None:
    sitter = Sitter(launched.tenant, role="member")
    page = sitter.get(sitter.home)
    text_by_section = sections(page.text)
    assert "Numbers as of 20 May 2026, 12:00 (UTC)." in read(page)
    drawn = text_by_section["Last 28 days"]
    assert drawn.startswith("4,100 views gained No earlier data")
    assert "Best day: 17 May 2026 , 2,500" in drawn
    assert values_of(charts_of(page.text)["Views by day"], "Views")["2026-05-16"] == 600
    assert "Posts 2 Views on them 4,100" in text_by_section["The program, last 30 days"]
    movers = read(page).partition("Views gained Change ")[2]
    unknown = "\u2013 no earlier data"
    assert movers.startswith(f"{HOSTILE} 2,500 {unknown} Ada 1,600 {unknown}")
    assert "1 post to review in the inbox" in text_by_section["To do"]
    assert "$150.00 to approve" in text_by_section["To do"]
    # $100.00 + $70.00 + $50.00 of $400.00, and $80.00 to come, by $60.00 and $130.00.
    expected = "Forecast: $300.00 by 31 May 2026 ($280.00 to $350.00)."
    assert f"55% {expected} $220.00 $400.00" in text_by_section["Budgets"]
    assert (
        "Forecast until 31 May 2026 Views 12,000 9,000 to 18,000; at the recent pace 10,800"
        " Earned $80.00 $60.00 to $130.00; at the recent pace $75.00" in read(page)
    )
    assert HOSTILE not in page.text


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1 post"), (24, "24 posts"), (25, "25 or more posts")]
)
def test_a_list_that_was_cut_is_no_number(number: int, text: str) -> None:
    assert at_least(range(number), 25, "post") == text
