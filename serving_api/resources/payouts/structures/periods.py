"""Periods of payout structures (money.md M2): calendar days of the structure's zone."""

from datetime import date, timedelta

from serving_api.resources.payouts.structures.rules import Period
from serving_api.resources.programs.goal_compliance import periods
from serving_api.resources.programs.goal_compliance.periods import ONE_DAY, Span

MONDAY = 1


def span_of(day: date, period: Period | None, anchor: int | None, zone: str) -> Span:
    """Return the period that holds a day; the day itself, where a structure has no period.

    `anchor` is the ISO weekday on which weeks start, None is Monday.
    """
    shift = timedelta(days=(anchor or MONDAY) - MONDAY)
    span = periods.span_of(day - shift, period or "daily", zone)
    return Span(span.first + shift, span.last + shift, zone)


def next_start(day: date, period: Period | None, anchor: int | None, zone: str) -> date:
    """Return the first day of the first period that starts after a day."""
    return span_of(day, period, anchor, zone).last + ONE_DAY
