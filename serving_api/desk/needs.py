"""What waits for somebody, as pages list it."""

from collections.abc import Sized
from dataclasses import dataclass

from serving_api.resources.payouts.accruals.summary import counted


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that waits for somebody; `path` is where in the project, "" where no page is."""

    text: str
    is_urgent: bool = False
    path: str = ""


def at_least(rows: Sized, most: int, noun: str) -> str:
    """Return how many things there are, of a list that ends with `most`."""
    number = len(rows)
    return counted(number, noun) if number < most else f"{number:,} or more {noun}s"
