"""What goals are expected to come to, from marts.goal_forecasts (docs/rules/forecasts.md)."""

from collections.abc import Sequence
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
        and goal_id in (select cast(unnest(string_split($ids, ',')) as uuid))
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
    cursor: DuckDBPyConnection, organization_id: UUID, project_id: UUID, goal_ids: Sequence[UUID]
) -> dict[UUID, GoalForecast]:
    """Return the forecasts of those goals of a project whose period was under way, by goal."""
    if not goal_ids:
        return {}
    asked = {
        "organization_id": organization_id,
        "project_id": project_id,
        "ids": ",".join(map(str, goal_ids)),
    }
    found = [GoalForecast(*row) for row in cursor.execute(RUNNING, asked).fetchall()]
    return {one.goal_id: one for one in found}
