"""How goals stand, from marts.goal_compliance: the judged periods that hold a day."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any, Final, Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.platforms import TrackedPlatform

GoalMetric = Literal["posts", "views", "engagement", "followers"]
GoalPeriod = Literal["daily", "weekly", "monthly"]
GoalScope = Literal["all", "platform", "account"]
GoalStatus = Literal["on_track", "behind_pace", "at_risk", "completed", "missed"]

WIDE: Final = 4
"""What a judged goal takes of memory, in rows of other answers."""

JUDGED = """
    select
        goal_id,
        goal_state_id,
        project_id,
        creator_id,
        metric,
        period,
        target_value,
        start_date,
        end_date,
        platform_scope,
        platform,
        account_id,
        period_start,
        period_end,
        ends_at,
        actual,
        percentage,
        status
    from marts.goal_compliance
    where
        organization_id = $organization_id
        and project_id = $project_id
        and $day between period_start and period_end
        and ($creator_id is null or creator_id = $creator_id)
    order by creator_id, goal_id
"""

MISSED_LAST = """
    select goal_id
    from marts.goal_compliance
    where
        organization_id = $organization_id
        and project_id = $project_id
        and period_end between $from_day and $to_day
        and status in ('completed', 'missed')
    group by goal_id
    having arg_max(status, period_end) = 'missed'
"""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What was computed; all None while nothing was.

    `actual` is a count, the percentage in tenths.
    """

    actual: int | None = None
    percentage: float | None = None
    status: GoalStatus | None = None


@dataclass(frozen=True, slots=True)
class JudgedGoal:
    """A goal as it stood in a period, and how it stands, as of the publication (money.md M22).

    Days are inclusive and org-local, `ends_at` UTC.
    """

    goal_id: UUID
    goal_state_id: UUID
    project_id: UUID
    creator_id: UUID
    metric: GoalMetric
    period: GoalPeriod
    target_value: int
    start_date: date | None
    end_date: date | None
    platform_scope: GoalScope
    platform: TrackedPlatform | None
    account_id: UUID | None
    period_start: date
    period_end: date
    ends_at: datetime
    numbers: Numbers


@dataclass(frozen=True, slots=True)
class Judged:
    """The goals that were asked for, by creator; and by the state of a goal that judges it."""

    goals: Sequence[JudgedGoal]
    by_state: Mapping[UUID, JudgedGoal]

    @property
    def rows(self) -> int:
        """How many rows of other answers take as much memory."""
        return WIDE * len(self.goals)


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """Whose goals in the periods that hold `day`: one creator's of the project, or all."""

    organization_id: UUID
    project_id: UUID
    day: date
    creator_id: UUID | None


@dataclass(frozen=True, slots=True)
class MissedQuery:
    """Which goals of a project missed a period that ended on these days, both inclusive."""

    organization_id: UUID
    project_id: UUID
    from_day: date
    to_day: date


def judged_goals(cursor: DuckDBPyConnection, query: JudgedQuery) -> Judged:
    """Return the goals that are asked for, deleted ones too."""
    found = cursor.execute(JUDGED, asdict(query)).fetchall()
    goals = [_judged(*columns) for columns in found]
    return Judged(goals, {one.goal_state_id: one for one in goals})


def missed_goals(cursor: DuckDBPyConnection, query: MissedQuery) -> Set[UUID]:
    """Return the project's goals that missed the last period that ended on these days."""
    return {goal_id for (goal_id,) in cursor.execute(MISSED_LAST, asdict(query)).fetchall()}


def _judged(*columns: Any) -> JudgedGoal:
    *of_goal, actual, percentage, status = columns
    known: Any = (*of_goal, Numbers(actual, float(percentage), status))
    return JudgedGoal(*known)
