"""Business time.

`TRACKER_NOW` fixes it (demos, tests, backfills). Rate limits, retries, lock-outs, expiries and
leases use the real clock. A clock is passed as an argument; there is no global one.
"""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    return datetime.now(UTC)


def fixed_clock(instant: datetime) -> Clock:
    """Return a clock that always shows `instant` (aware)."""
    if instant.tzinfo is None:
        raise ValueError(f"business time needs a UTC offset: {instant.isoformat()}")
    utc = instant.astimezone(UTC)
    return lambda: utc
