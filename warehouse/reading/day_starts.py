"""When days of a zone begin."""

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo


def start_of(day: date, zone: str) -> datetime:
    """Return the instant, in UTC, at which a day begins in an IANA zone."""
    return datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC)
