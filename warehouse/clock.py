"""Business time.

`TRACKER_NOW` fixes it (demos, tests, backfills). Rate windows, retries, lock-outs, expiries and
leases use the real clock and never this one. A clock is passed to what needs it; there is no
process-wide one.
"""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """Return the present instant in UTC."""
    return datetime.now(UTC)


def fixed_clock(instant: datetime) -> Clock:
    """Return a clock that always shows `instant` (aware)."""
    if instant.tzinfo is None:
        raise ValueError(f"business time needs a UTC offset, got {instant.isoformat()}")
    utc = instant.astimezone(UTC)
    return lambda: utc
