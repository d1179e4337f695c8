"""Goal states on a day, from the publication and the goals that exist now.

An ended period keeps its result, whatever became of the goal. A period in progress belongs to the
current goals: the publication's figures for the same state of the goal, null for a later state,
and 0 if the period had not begun by then.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from serving_api.resources.programs.goals.schemas import Goal
from warehouse.reading.goals import GoalPeriod, JudgedGoal, Numbers, Terms
from warehouse.reading.series.calendar import Granularity, Range
from warehouse.zones import start_of

GRANULARITY: dict[GoalPeriod, Granularity] = {"daily": "day", "weekly": "week", "monthly": "month"}
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Span:
    """A period: its first and last day, inclusive, in a timezone."""

    first: date
    last: date
    zone: str

    @property
    def starts_at(self) -> datetime:
        return start_of(self.first, self.zone)

    @property
    def ends_at(self) -> datetime:
        """Return the instant after its last day (UTC)."""
        return start_of(self.last + ONE_DAY, self.zone)


@lru_cache(maxsize=1_000)  # a project's goals share a few
def span_of(day: date, period: GoalPeriod, zone: str) -> Span:
    first, last = Range(day, day, GRANULARITY[period]).extent(day)
    return Span(first, last, zone)


def first_judged(start: date, period: GoalPeriod, zone: str) -> Span:
    """Return the first period that starts on a day or later."""
    holding = span_of(start, period, zone)
    return holding if holding.first == start else span_of(holding.last + ONE_DAY, period, zone)


UNKNOWN = Numbers()
NOT_BEGUN = Numbers(0, 0.0, "on_track")


AnyGoal_co = TypeVar("AnyGoal_co", bound=Goal | Terms, covariant=True)


class GoalState(NamedTuple, Generic[AnyGoal_co]):
    """A goal in one period. A project has thousands, which a dataclass makes more slowly."""

    goal: AnyGoal_co
    span: Span
    numbers: Numbers
    is_started: bool = True

    @property
    def counts(self) -> bool:
        """Return whether the goal counts: it has started and its status is known (money.md M23)."""
        return self.is_started and self.numbers.status is not None


@dataclass(frozen=True, slots=True)
class Moment:
    """The requested day, its timezone, the current time, and the publication's `as_of`."""

    day: date
    zone: str
    now: datetime
    as_of: datetime | None


def goal_states(
    judged: Iterable[JudgedGoal],
    in_force: Iterable[tuple[Terms, JudgedGoal | None]],
    moment: Moment,
) -> Iterator[GoalState[Goal | Terms]]:
    """Yield every goal with a period to report.

    `in_force` has each current goal with the publication's row for its current state, if any.
    """
    for row in judged:
        if row.ends_at <= moment.now:
            yield _ended(row, moment.zone)
    # Computed for each period, not for each of thousands of goals.
    spans = {period: span_of(moment.day, period, moment.zone) for period in GRANULARITY}
    in_progress = {period: span for period, span in spans.items() if span.ends_at > moment.now}
    for goal, latest in in_force:
        if span := in_progress.get(goal.period):
            current = latest if latest and latest.ends_at > moment.now else None
            if goal_state := _open(goal, current, span, moment):
                yield goal_state


def _ended(row: JudgedGoal, zone: str) -> GoalState[Goal]:
    goal = Goal(
        id=row.terms.id,
        creator_id=row.terms.creator_id,
        project_id=row.project_id,
        metric=row.terms.metric,
        period=row.terms.period,
        target_value=row.target_value,
        start_date=row.terms.start_date,
        end_date=row.terms.end_date,
        is_active=True,
        platform_scope=row.platform_scope,
        platform=row.platform,
        account_id=row.account_id,
    )
    return GoalState(goal, Span(row.period_start, row.period_end, zone), row.numbers)


def _open(
    goal: Terms, row: JudgedGoal | None, span: Span, moment: Moment
) -> GoalState[Terms] | None:
    """Return a current goal's state in a period that has not ended, or None if the goal is over."""
    is_started = goal.start_date is None or goal.start_date <= span.first
    if not is_started and goal.start_date is not None:
        span = first_judged(goal.start_date, goal.period, moment.zone)
    if goal.end_date is not None and goal.end_date < span.last:
        return None
    if not is_started:
        return GoalState(goal, span, NOT_BEGUN, is_started=False)
    if row is not None:
        return GoalState(goal, span, row.numbers)
    was_to_come = moment.as_of is not None and moment.as_of < span.starts_at
    return GoalState(goal, span, NOT_BEGUN if was_to_come else UNKNOWN)
