"""What is expected in views, from marts.view_forecasts (docs/rules/forecasts.md)."""

from dataclasses import dataclass
from datetime import date
from typing import Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.forecast_accuracy import ACCURACY, TestedForecast

ForecastEntity = Literal["project", "campaign", "creator"]
Hidden = Literal["too_few_tests", "no_better_than_baseline"]

FORECAST = f"""
    select
        {ACCURACY}
        forecasts.from_day,
        forecasts.day,
        forecasts.views,
        forecasts.low_views,
        forecasts.high_views,
        forecasts.baseline_views,
        forecasts.hidden_because
    from marts.view_forecasts as forecasts
    left join marts.forecast_accuracy as accuracy
        on
            forecasts.project_id = accuracy.project_id
            and forecasts.entity = accuracy.entity
            and forecasts.tested_days = accuracy.days
            and accuracy.metric = 'views'
    where
        forecasts.organization_id = $organization_id
        and forecasts.entity = $entity
        and forecasts.entity_id = $entity_id
        and forecasts.day = $day
"""  # noqa: S608  (columns of ours)


@dataclass(frozen=True, slots=True)
class ViewForecast(TestedForecast):
    """Views expected from `from_day` through `day` (days of the organization's zone, inclusive).

    The interval holds eight of ten; None with too few tests.
    """

    from_day: date
    day: date
    views: int
    low_views: int | None
    high_views: int | None
    baseline_views: int
    hidden_because: Hidden | None


def view_forecast(
    cursor: DuckDBPyConnection,
    organization_id: UUID,
    entity: ForecastEntity,
    entity_id: UUID,
    day: date,
) -> ViewForecast | None:
    """Return what is expected through a day; None where nothing was read, or none is made of it."""
    parameters = {
        "organization_id": organization_id,
        "entity": entity,
        "entity_id": entity_id,
        "day": day,
    }
    row = cursor.execute(FORECAST, parameters).fetchone()
    return ViewForecast(*row) if row else None
