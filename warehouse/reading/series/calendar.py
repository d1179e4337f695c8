"""Buckets of calendar days, and the prior period of a range.

A bucket is named by the first day of its whole extent: a day, a week from Monday, a month, a year,
or `bucket_days` days from the range's start (`custom`). It counts only days of that extent in the
range. With `cumulative` there is one bucket per day, from the range's first day to that day.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

Granularity = Literal["day", "week", "month", "year", "cumulative", "custom"]

ONE_DAY = timedelta(days=1)
MONTHS_OF: dict[Granularity, int] = {"month": 1, "year": 12}


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket: the day that names it, and its first and last counted day."""

    start: date
    first_day: date
    last_day: date

    @property
    def days(self) -> int:
        return (self.last_day - self.first_day).days + 1


@dataclass(frozen=True, slots=True)
class Range:
    """The days `from_day` to `to_day`, both inclusive, cut into buckets.

    `bucket_days` is the length of `custom` buckets, counted from `from_day`.
    """

    from_day: date
    to_day: date
    granularity: Granularity = "day"
    bucket_days: int = 1

    def buckets(self) -> Iterator[Bucket]:
        """Yield all buckets of the range, oldest first; none if it is empty."""
        start = self.extent(self.from_day)[0]
        while start <= self.to_day:
            _, end = self.extent(start)
            first = self.from_day if self.granularity == "cumulative" else start
            yield Bucket(start, max(first, self.from_day), min(end, self.to_day))
            start = end + ONE_DAY

    def lead(self) -> list[Bucket]:
        """Return the whole bucket before the first one, and then days up to the range, if any.

        These days are named by the last day before them, which names no bucket. If all buckets
        begin together (`cumulative`), the bucket before has no days.
        """
        first_start = self.extent(self.from_day)[0]
        start, end = self.extent(first_start - ONE_DAY)
        if self.granularity == "cumulative":
            return [Bucket(start, first_start, end)]
        before = Bucket(start, start, end)
        if first_start == self.from_day:
            return [before]
        return [before, Bucket(end, first_start, self.from_day - ONE_DAY)]

    def extent(self, day: date) -> tuple[date, date]:
        """Return the first and last day of the whole bucket of a day."""
        match self.granularity:
            case "week":
                start = day - timedelta(days=day.weekday())
                return start, start + timedelta(days=6)
            case "month":
                start = day.replace(day=1)
                return start, later(start, months=1) - ONE_DAY
            case "year":
                return day.replace(month=1, day=1), day.replace(month=12, day=31)
            case "custom":
                number = (day - self.from_day).days // self.bucket_days
                start = self.from_day + timedelta(days=number * self.bucket_days)
                return start, start + timedelta(days=self.bucket_days - 1)
            case "day" | "cumulative":
                return day, day


@dataclass(frozen=True, slots=True)
class Shift:
    """The distance to a prior period, in days or in whole months."""

    days: int = 0
    months: int = 0

    def back(self, bucket: Bucket) -> Bucket:
        """Return the bucket's counterpart in the prior period, under the bucket's own name."""
        return Bucket(bucket.start, self.earlier(bucket.first_day), self._last(bucket.last_day))

    def earlier(self, day: date) -> date:
        """Return the counterpart of a day. Whole months require the first day of a month."""
        return later(day, months=-self.months) if self.months else day - timedelta(days=self.days)

    def _last(self, day: date) -> date:
        return self.earlier(day + ONE_DAY) - ONE_DAY


NO_SHIFT = Shift()


def to_prior_period(span: Range) -> Shift:
    """Return the shift to a range's prior period, which ends the day before the range.

    It has the same number of days, or whole months or years if the range by month or year consists
    of these (contract, Analytics).
    """
    months_each = MONTHS_OF.get(span.granularity)
    after = span.to_day + ONE_DAY
    if months_each and span.extent(span.from_day)[0] == span.from_day and _begins(span, after):
        months = (after.year - span.from_day.year) * 12 + after.month - span.from_day.month
        return Shift(months=months)
    return Shift(days=(after - span.from_day).days)


def later(first_of_month: date, *, months: int) -> date:
    """Return the first day of the month `months` later (earlier if negative)."""
    years, month = divmod(first_of_month.month - 1 + months, 12)
    return first_of_month.replace(year=first_of_month.year + years, month=month + 1)


def _begins(span: Range, day: date) -> bool:
    return span.extent(day)[0] == day
