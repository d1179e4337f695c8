"""Counters of accounts and posts: sums of possibly unknown counts, and times of readings."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from warehouse.reading.accounts import AccountCounts
from warehouse.reading.videos import VideoCounts


def as_of(
    known: VideoCounts | AccountCounts | None, counters: Sequence[str]
) -> dict[str, datetime | None]:
    """Return the time of each counter's last reading, or None."""
    return {
        name: getattr(known, f"{name.removesuffix('_count')}_captured_at", None)
        for name in counters
    }


def sum_of_known(counts: Iterable[int | None]) -> int | None:
    """Return the sum of the known counts, or None if none is known."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
