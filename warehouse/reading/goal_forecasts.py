"""What goals are expected to come to, from marts.goal_forecasts (docs/rules/forecasts.md)."""

from dataclasses import dataclass
from datetime import date
from typing import Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

Outlook = Literal["on_course", "at_risk", "out_of_reach"]
GoalHidden = Literal["not_forecast", "nothing_of_late", "too_few_tests", "no_better_than_baseline"]

RUNNING = """
    select
        goal_id,
        period_start,
        expected,
        low,
        high,
        baseline,
        hidden_because,
        outlook
    from marts.goal_forecasts
    where
        organization_id = $organization_id
        and project_id = $project_id
        and ($creator_id is null or creator_id = $creator_id)
    order by goal_id
"""


@dataclass(frozen=True, slots=True)
class GoalForecast:
    """What a goal is expected to come to by the end of the period that begins on `period_start`.

    In the goal's own unit; None where nothing is forecast, the interval also with too few tests.
    """

    goal_id: UUID
    period_start: date
    expected: int | None
    low: int | None
    high: int | None
    baseline: int | None
    hidden_because: GoalHidden | None
    outlook: Outlook | None


def goal_forecasts(
    cursor: DuckDBPyConnection, organization_id: UUID, project_id: UUID, creator_id: UUID | None
) -> dict[UUID, GoalForecast]:
    """Return the forecasts of goals whose period was under way, by goal.

    Of one creator of the project, or of all.
    """
    asked = {
        "organization_id": organization_id,
        "project_id": project_id,
        "creator_id": creator_id,
    }
    found = [GoalForecast(*row) for row in cursor.execute(RUNNING, asked).fetchall()]
    return {one.goal_id: one for one in found}
