"""Forecasts of views, from marts.view_forecasts (docs/rules/forecasts.md)."""

from dataclasses import dataclass
from datetime import date
from typing import Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

ForecastEntity = Literal["project", "campaign", "creator"]
Hidden = Literal["too_little_history"]

FORECAST = """
    select
        from_day,
        day,
        views,
        low_views,
        high_views,
        baseline_views,
        hidden_because
    from marts.view_forecasts
    where
        organization_id = $organization_id
        and entity = $entity
        and entity_id = $entity_id
        and day between $first_day and $last_day
    order by day
"""


@dataclass(frozen=True, slots=True)
class ViewForecast:
    """Views expected from `from_day` through `day` (organization-local, inclusive).

    The interval covers eight of ten; None with too little history.
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
