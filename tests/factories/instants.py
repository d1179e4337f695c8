"""The month that most made-up histories are of."""

from datetime import UTC, datetime


def at(day: int, hour: int = 10) -> datetime:
    """Return an instant of May 2026."""
    return datetime(2026, 5, day, hour, tzinfo=UTC)
