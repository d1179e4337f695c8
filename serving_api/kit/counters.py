"""When counters were last read, for answers that show the counters."""

from collections.abc import Sequence
from datetime import datetime

from warehouse.reading.accounts import AccountCounts
from warehouse.reading.videos import VideoCounts


def as_of(
    known: VideoCounts | AccountCounts | None, counters: Sequence[str]
) -> dict[str, datetime | None]:
    """Return by each counter's name when it was last read, None where it never was."""
    return {
        name: getattr(known, f"{name.removesuffix('_count')}_captured_at", None)
        for name in counters
    }
