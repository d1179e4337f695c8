"""The time of the served world: the system clock, unless set."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    return datetime.now(UTC)


class SettableClock:
    """A clock that follows `base` until `set` fixes it; `set(None)` releases it."""

    def __init__(self, base: Clock = system_clock) -> None:
        self._base = base
        self._fixed: datetime | None = None

    def __call__(self) -> datetime:
        """Return the served time in UTC."""
        return self._fixed or self._base()

    def set(self, instant: datetime | None) -> None:
        """Fix the clock at a time. Raises ValueError if it has no UTC offset."""
        if instant is not None and instant.tzinfo is None:
            raise ValueError(f"a time needs a UTC offset, got {instant.isoformat()}")
        self._fixed = instant.astimezone(UTC) if instant else None
