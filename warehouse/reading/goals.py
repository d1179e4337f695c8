"""How goals stand, from marts.goal_compliance: the judged periods that hold a day."""

from dataclasses import asdict, dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.platforms import TrackedPlatform

GoalMetric = Literal["posts", "views", "engagement", "followers"]
GoalPeriod = Literal["daily", "weekly", "monthly"]
GoalScope = Literal["all", "platform", "account"]
GoalStatus = Literal["on_track", "behind_pace", "at_risk", "completed", "missed"]

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
class JudgedGoal:
    """A goal as it stood in a period, and how it stands, as of the publication (money.md M22).

    Days are inclusive and org-local, `ends_at` UTC; `actual` is a count, the percentage in tenths.
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
    actual: int
    percentage: Decimal
    status: GoalStatus


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """Whose goals in the periods that hold `day`: one creator's of the project, or all."""

    organization_id: UUID
    project_id: UUID
    day: date
    creator_id: UUID | None


def judged_goals(cursor: DuckDBPyConnection, query: JudgedQuery) -> list[JudgedGoal]:
    """Return the goals that are asked for, deleted ones too."""
    return [JudgedGoal(*row) for row in cursor.execute(JUDGED, asdict(query)).fetchall()]


def missed_goals(
    cursor: DuckDBPyConnection,
    organization_id: UUID,
    project_id: UUID,
    *,
    from_day: date,
    to_day: date,
) -> set[UUID]:
    """Return the project's goals that missed the last period that ended on these days."""
    asked = {
        "organization_id": organization_id,
        "project_id": project_id,
        "from_day": from_day,
        "to_day": to_day,
    }
    return {goal_id for (goal_id,) in cursor.execute(MISSED_LAST, asked).fetchall()}
