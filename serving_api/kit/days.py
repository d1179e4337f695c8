"""Days of a named zone in business time: today, and when a day begins."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


def today_in(zone: str, now: datetime) -> date:
    """Return the calendar day that `now` falls on in an IANA zone."""
    return now.astimezone(ZoneInfo(zone)).date()


def start_of_day(day: date, zone: str) -> datetime:
    """Return the instant, in UTC, at which a day begins in an IANA zone."""
    return datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC)


def seconds_to_midnight(zone: str, now: datetime) -> int:
    """Return how many whole seconds are left of the day, at least one."""
    tomorrow = today_in(zone, now) + timedelta(days=1)
    return max(1, int((start_of_day(tomorrow, zone) - now).total_seconds()))
