"""Periods of goals (money.md M2, M21): org-local days, and when they end by the clock."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from warehouse.reading.goals import GoalPeriod
from warehouse.reading.series.calendar import Granularity, Range
from warehouse.zones import start_of

GRANULARITY: dict[GoalPeriod, Granularity] = {"daily": "day", "weekly": "week", "monthly": "month"}
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Span:
    """A period: its first and last day, inclusive, in a zone."""

    first: date
    last: date
    zone: str

    @property
    def starts_at(self) -> datetime:
        """When its first day begins (UTC)."""
        return start_of(self.first, self.zone)

    @property
    def ends_at(self) -> datetime:
        """When its last day has ended (UTC)."""
        return start_of(self.last + ONE_DAY, self.zone)


def span_of(day: date, period: GoalPeriod, zone: str) -> Span:
    """Return the period that holds a day."""
    first, last = Range(day, day, GRANULARITY[period]).extent(day)
    return Span(first, last, zone)


def first_judged(start: date, period: GoalPeriod, zone: str) -> Span:
    """Return the first period that starts on a day or after it."""
    holding = span_of(start, period, zone)
    return holding if holding.first == start else span_of(holding.last + ONE_DAY, period, zone)
