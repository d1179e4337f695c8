"""Test clocks: a wrong one that replaces `datetime` in a module, and a stopped one."""

from datetime import UTC, datetime, timedelta


def clock_ahead(ahead: timedelta) -> type[datetime]:
    """Return a clock that is `ahead` of the true one."""

    class Ahead(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime.now(UTC) + ahead

    return Ahead


class StoppedClock:
    """A clock in seconds that tests advance."""

    now = 0.0

    def __call__(self) -> float:
        return self.now
