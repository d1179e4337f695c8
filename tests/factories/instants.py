"""The month of most test histories."""

from datetime import UTC, datetime


def at(day: int, hour: int = 10) -> datetime:
    return datetime(2026, 5, day, hour, tzinfo=UTC)
