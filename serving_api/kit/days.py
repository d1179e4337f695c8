"""Days in a time zone by business time, `from` and `to`, and the history that a plan includes."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field

from serving_api.errors import Issue, NamesFields, RetentionExceeded
from serving_api.kit.schemas import Day
from warehouse.zones import start_of


def today_in(zone: str, now: datetime) -> date:
    """Return the day of `now` in an IANA time zone."""
    return now.astimezone(ZoneInfo(zone)).date()


def day_in_words(day: date) -> str:
    """Return a day as people read it: 9 May 2026."""
    return f"{day.day} {day:%b %Y}"


def seconds_to_midnight(zone: str, now: datetime) -> int:
    """Return the seconds left of the day, at least one."""
    tomorrow = today_in(zone, now) + timedelta(days=1)
    return max(1, int((start_of(tomorrow, zone) - now).total_seconds()))


DEFAULT_DAYS = timedelta(days=30)
LONGEST = timedelta(days=3660)
"""Ten years."""
ONE_DAY = timedelta(days=1)


class DayRangeQuery(BaseModel):
    """The query parameters `from` and `to`."""

    from_day: Day | None = Field(
        default=None, alias="from", description="Inclusive; default: 30 days before `to`"
    )
    to_day: Day | None = Field(default=None, alias="to", description="Inclusive; default: today")


@dataclass(frozen=True, slots=True)
class DayRange:
    """The days from `from_day` to `to_day`, inclusive, in the IANA time zone `zone`."""

    from_day: date
    to_day: date
    zone: str

    @property
    def days(self) -> int:
        return (self.to_day - self.from_day).days + 1

    @property
    def prior(self) -> "DayRange":
        """The same number of days immediately before."""
        length = timedelta(days=self.days)
        return DayRange(self.from_day - length, self.from_day - ONE_DAY, self.zone)

    def instants(self) -> tuple[datetime, datetime]:
        """Return the start of the first day and the end of the last, in UTC."""
        after = self.to_day + ONE_DAY
        return start_of(self.from_day, self.zone), start_of(after, self.zone)


def day_range(
    query: DayRangeQuery, *, zone: str, today: date, refusal: type[NamesFields]
) -> DayRange:
    """Return the requested range, by default the last 30 days. Raises `refusal`."""
    to_day = query.to_day or (max(today, query.from_day) if query.from_day else today)
    from_day = query.from_day or to_day - DEFAULT_DAYS
    if issues := range_issues(from_day, to_day):
        raise refusal(issues)
    return DayRange(from_day, to_day, zone)


def range_issues(from_day: date, to_day: date) -> list[Issue]:
    """Return what is wrong with a range of days: its order or its length."""
    if to_day - from_day > LONGEST:
        return [Issue(path="from", message=f"must be at most {LONGEST.days} days before `to`")]
    return _order_issues(from_day, to_day)


def require_order(start: date | None, end: date | None, refusal: type[NamesFields]) -> None:
    """Raise `refusal` at `from` if a range of days or times ends before it starts."""
    if start and end and (issues := _order_issues(start, end)):
        raise refusal(issues)


def _order_issues(start: date, end: date) -> list[Issue]:
    message = f"must not be after the end date ({end})"
    return [Issue(path="from", message=message)] if start > end else []


def retained_from(retention: int | None, today: date) -> date | None:
    """Return the first day that a plan includes, or None for all.

    `retention` is the plan's tier_retention_days.
    """
    return None if retention is None else today - timedelta(days=retention)


def require_retained(from_day: date, *, retention: int | None, today: date) -> None:
    """Raise RetentionExceeded for a day before the plan's history."""
    earliest = retained_from(retention, today)
    if earliest is not None and from_day < earliest:
        raise RetentionExceeded(
            f"The plan includes {retention} days of history. `from` must be {earliest} or later",
            tier_retention_days=retention,
            earliest=earliest.isoformat(),
        )
