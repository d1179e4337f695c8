"""Forecasts of goals, from marts.goal_forecasts (docs/rules/forecasts.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.forecast_accuracy import ACCURACY, TestedForecast

Outlook = Literal["on_course", "at_risk", "out_of_reach"]
GoalHidden = Literal["not_forecast", "nothing_of_late", "too_few_tests", "no_better_than_baseline"]

RUNNING = f"""
    select
        {ACCURACY}
        forecasts.goal_id,
        forecasts.period_start,
        forecasts.expected,
        forecasts.low,
        forecasts.high,
        forecasts.baseline,
        forecasts.hidden_because,
        forecasts.outlook
    from marts.goal_forecasts as forecasts
    left join marts.forecast_accuracy as accuracy
        on
            forecasts.project_id = accuracy.project_id
            and forecasts.metric = accuracy.metric
            and forecasts.tested_days = accuracy.days
            and accuracy.entity = 'creator'
    where
        forecasts.organization_id = $organization_id
        and forecasts.project_id = $project_id
        and forecasts.goal_id in (select cast(unnest(string_split($ids, ',')) as uuid))
    order by forecasts.goal_id
"""  # noqa: S608  (columns of ours)


@dataclass(frozen=True, slots=True)
class GoalForecast(TestedForecast):
    """A goal's forecast for the end of the period that begins on `period_start`.

    In the goal's unit. None without a forecast; the interval also with too few tests.
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
    """Return forecasts of the goals whose period was under way, by goal."""
    if not goal_ids:
        return {}
    parameters = {
        "organization_id": organization_id,
        "project_id": project_id,
        "ids": ",".join(map(str, goal_ids)),
    }
    rows = cursor.execute(RUNNING, parameters).fetchall()
    forecasts = [GoalForecast(*row) for row in rows]
    return {forecast.goal_id: forecast for forecast in forecasts}
