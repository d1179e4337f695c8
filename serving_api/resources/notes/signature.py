"""The line below an appended section: who wrote it, through which door, on which day."""

import re
from datetime import date

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&])")


def signature(name: str, channel: str, day: date) -> str:
    """Return the line; whatever the key's name holds, it stays one line of plain text."""
    plain = _MARKDOWN.sub(r"\\\1", " ".join(name.split()))
    return f"— {plain} ({channel}), {day}"
