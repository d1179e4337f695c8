"""Forecasts of views, from marts.view_forecasts (docs/rules/forecasts.md)."""

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
        and forecasts.day between $first_day and $last_day
    order by forecasts.day
"""  # noqa: S608  (columns of ours)


@dataclass(frozen=True, slots=True)
class ViewForecast(TestedForecast):
    """Views expected from `from_day` through `day` (organization-local, inclusive).

    The interval covers eight of ten; None with too few tests.
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
    """Return the forecast through a day; None without readings or forecast."""
    forecasts = view_forecasts(cursor, organization_id, entity, entity_id, day, day)
    return forecasts[0] if forecasts else None


def view_forecasts(  # noqa: PLR0917
    cursor: DuckDBPyConnection,
    organization_id: UUID,
    entity: ForecastEntity,
    entity_id: UUID,
    first_day: date,
    last_day: date,
) -> list[ViewForecast]:
    """Return the forecasts through each day of a range, in order."""
    parameters = {
        "organization_id": organization_id,
        "entity": entity,
        "entity_id": entity_id,
        "first_day": first_day,
        "last_day": last_day,
    }
    return [ViewForecast(*row) for row in cursor.execute(FORECAST, parameters).fetchall()]
