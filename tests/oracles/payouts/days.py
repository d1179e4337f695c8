"""Days and periods of a zone (money.md M2)."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from tests.oracles.goals import beginning

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Period:
    """The days from `first` to `last` and their half-open interval of time."""

    first: date
    last: date
    starts_at: datetime
    ends_at: datetime

    def days(self) -> list[date]:
        length = (self.last - self.first).days + 1
        return [self.first + number * ONE_DAY for number in range(length)]


@dataclass(frozen=True)
class Calendar:
    """A structure's calendar: zone, kind of period, and first day of the week.

    Structures without periods have `kind` None and use each day as a period.
    """

    zone: ZoneInfo
    kind: str | None
    week_starts_on: int = 1

    def day_of(self, instant: datetime) -> date:
        return instant.astimezone(self.zone).date()

    def start_of(self, day: date) -> datetime:
        return beginning(day, self.zone).astimezone(UTC)

    def period_of(self, day: date) -> Period:
        first = self.first_of(day)
        following = self.following(first)
        return Period(first, following - ONE_DAY, self.start_of(first), self.start_of(following))

    def first_of(self, day: date) -> date:
        if self.kind == "monthly":
            return day.replace(day=1)
        if self.kind == "weekly":
            return day - (day.isoweekday() - self.week_starts_on) % 7 * ONE_DAY
        return day

    def following(self, first: date) -> date:
        if self.kind == "monthly":
            return (first + 31 * ONE_DAY).replace(day=1)
        return first + (7 if self.kind == "weekly" else 1) * ONE_DAY
