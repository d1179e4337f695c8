"""The tracking window of an account (contract, Account).

Its dates are whole days in both UTC and the organization's zone, whichever reaches further.
"""

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
"""Where discovery goes back to for an account without a start date: before both platforms."""


def in_window(posted_at: datetime, start: date | None, end: date | None, zone: str) -> bool:
    """Tell whether a post lies between two dates, both inclusive; None is open."""
    days = (posted_at.astimezone(UTC).date(), posted_at.astimezone(ZoneInfo(zone)).date())
    return any((start is None or start <= day) and (end is None or day <= end) for day in days)


def window_start(start: date | None, zone: str) -> datetime:
    """Return the first instant of the window, in UTC."""
    if start is None:
        return BEGINNING
    midnights = (datetime.combine(start, time(), UTC), first_instant(start, zone))
    return max(min(midnights), BEGINNING)


def first_instant(day: date, zone: str) -> datetime:
    """Return when a local day begins; where midnight is skipped, that is the end of the gap."""
    return datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC)
