"""Times of the last reading of counters."""

from collections.abc import Sequence
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
