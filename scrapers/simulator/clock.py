"""The instant whose world is served: the system's clock until somebody sets it."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """Return the present instant in UTC."""
    return datetime.now(UTC)


class SettableClock:
    """A clock that shows `base` until `set` fixes it at an instant; `set(None)` frees it again."""

    def __init__(self, base: Clock = system_clock) -> None:
        self._base = base
        self._fixed: datetime | None = None

    def __call__(self) -> datetime:
        """Return the served instant in UTC."""
        return self._fixed or self._base()

    def set(self, instant: datetime | None) -> None:
        """Fix the clock at an aware instant. Raises ValueError for one without a UTC offset."""
        if instant is not None and instant.tzinfo is None:
            raise ValueError(f"an instant needs a UTC offset, got {instant.isoformat()}")
        self._fixed = instant.astimezone(UTC) if instant else None
