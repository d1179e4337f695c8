"""How a pass tells where it is. Whoever started it decides what to show."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` (None: unknown) units of a step; `note` is one line for people."""

    step: str
    done: int = 0
    total: int | None = None
    note: str | None = None


OnProgress = Callable[[Progress], None]


def silent(_progress: Progress) -> None:
    """Show nothing: Dagster's own log tells the story."""
