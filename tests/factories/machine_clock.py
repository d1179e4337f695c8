"""A machine's clock that is wrong, in place of `datetime` in a module that asks it."""

from datetime import UTC, datetime, timedelta


def clock_ahead(ahead: timedelta) -> type[datetime]:
    """Return a machine's clock that is so far ahead of the true one."""

    class Ahead(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime.now(UTC) + ahead

    return Ahead
