"""Clocks of tests: one that is wrong, in place of `datetime` in a module, and one that stands."""

from datetime import UTC, datetime, timedelta


def clock_ahead(ahead: timedelta) -> type[datetime]:
    """Return a machine's clock that is so far ahead of the true one."""

    class Ahead(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime.now(UTC) + ahead

    return Ahead


class StoppedClock:
    """Seconds that pass where a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now
