"""Forecasts of goals, from marts.goal_forecasts (docs/rules/forecasts.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.statements import read_by_ids

Outlook = Literal["on_course", "at_risk", "out_of_reach"]
GoalHidden = Literal["not_forecast", "nothing_of_late", "too_little_history"]

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
"""


@dataclass(frozen=True, slots=True)
class GoalForecast:
    """A goal's forecast for the end of the period that begins on `period_start`.

    In the goal's unit. None without a forecast; the interval also with too little history.
    """

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
    of_project = {"project_id": project_id}
    return read_by_ids(cursor, RUNNING, GoalForecast, organization_id, goal_ids, more=of_project)
