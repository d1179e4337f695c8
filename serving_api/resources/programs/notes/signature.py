"""The line below an appended section: who wrote it, through which door, on which day."""

from datetime import date

from serving_api.kit.markdown import plain


def signature(name: str, channel: str, day: date) -> str:
    """Return the line; whatever the key's name holds, it stays one line of plain text."""
    return f"— {plain(name)} ({channel}), {day}"
