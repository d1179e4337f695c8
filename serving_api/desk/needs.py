"""Open tasks, as pages list them."""

from collections.abc import Sized
from dataclasses import dataclass

from serving_api.resources.payouts.accruals.summary import plural


@dataclass(frozen=True, slots=True)
class Need:
    """An open task; `path` is its page within the project, or ""."""

    text: str
    is_urgent: bool = False
    path: str = ""


def at_least(rows: Sized, most: int, noun: str) -> str:
    """Return the number of rows as text, of a list limited to `most`."""
    number = len(rows)
    return plural(number, noun) if number < most else f"{number:,} or more {noun}s"
