"""`/analytics/forecast`: expected views and payouts of a project, campaign or creator."""

from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Literal
from uuid import UUID

from fastapi import Response
from pydantic import BaseModel, Field

from serving_api.auth.dependencies import Reader
from serving_api.errors import InvalidParams, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.csv import MEDIA_TYPE, CsvResponse, csv_response
from serving_api.kit.days import ONE_DAY, today_in
from serving_api.kit.envelope import Envelope
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import require_own
from serving_api.kit.schemas import Day, Params
from serving_api.openapi import answers
from serving_api.resources.analytics.series.service import ParamsRoute
from serving_api.resources.organization import projects
from serving_api.resources.programs.campaigns import repository as campaigns
from warehouse.csv_cells import Cell
from warehouse.operational.models import Creator
from warehouse.reading.payout_forecasts import PayoutForecast, PayoutHidden, payout_forecasts
from warehouse.reading.view_forecasts import ForecastEntity, Hidden, ViewForecast, view_forecast

COLUMNS = ("metric", "to_day", "expected", "low", "high", "baseline", "hidden_because")
CSV = {
    "content": {
        MEDIA_TYPE: {
            "schema": {"type": "string"},
            "example": f"{','.join(COLUMNS)}\r\nviews,2026-05-31,1200,960,1800,1080,\r\n",
        }
    }
}
LONGEST = timedelta(days=92)
"""The horizon of marts.view_forecasts."""


class ForecastQuery(BaseModel):
    """The entity and last day of a forecast."""

    entity: ForecastEntity
    entity_id: UUID
    to_day: Day | None = Field(
        default=None,
        alias="to",
        description="Inclusive, at most 92 days from today. Defaults to the end of this month",
    )
    format: Literal["json", "csv"] = "json"


class PayoutsExpected(BaseModel):
    """Cents that accruals of periods ending this month are still expected to earn, in US cents.

    They are on top of what these accruals have earned so far, including retainers.
    """

    to_day: date = Field(description="Last day of the current month, independent of `to`")
    shown: bool = Field(description="Whether there is a forecast")
    hidden_because: PayoutHidden | None = Field(
        description="Why there is no forecast. Null if it is shown"
    )
    cents: int | None = Field(description="Expected cents. Null if not shown")
    low_cents: int | None = Field(description="Lower end of the 80% interval")
    high_cents: int | None = Field(description="Upper end of the 80% interval")
    baseline_cents: int = Field(description="Continues the last whole week or month")


class Forecast(BaseModel):
    """Expected views from `from_day` through `to_day`, of existing and future posts."""

    entity: ForecastEntity
    entity_id: UUID
    from_day: date | None = Field(
        description="The day after the last known whole day. Null if none is known"
    )
    to_day: date
    timezone: str = Field(description="The organization's timezone")
    shown: bool = Field(description="Whether there is a forecast")
    hidden_because: Hidden | None = Field(
        description="Why there is no forecast. Null if it is shown"
    )
    views: int | None = Field(description="Expected views. Null if not shown")
    low_views: int | None = Field(description="Lower end of the 80% interval")
    high_views: int | None = Field(description="Upper end of the 80% interval")
    baseline_views: int | None = Field(
        description="Continues the last seven whole days. Null if they are unknown"
    )
    payouts: PayoutsExpected | None = Field(
        description="Cents still expected under the rules in force. Null if no creator is paid or"
        " the current month is unknown"
    )


REQUIRE: Mapping[ForecastEntity, Callable[[RequestContext, UUID], object]] = {
    "project": lambda context, project_id: projects.require(
        context.session, context.organization_id, project_id
    ),
    "campaign": lambda context, campaign_id: campaigns.require_in(
        context.session, context.organization_id, None, campaign_id
    ),
    "creator": lambda context, creator_id: require_own(context, Creator, creator_id, "Creator"),
}
"""Checks that raise NotFound if the organization does not have the entity."""


def read_forecast(context: RequestContext, query: ForecastQuery) -> Forecast:
    """Return the forecast. Raises InvalidParams and NotFound."""
    zone = context.marts_zone
    today = today_in(zone, context.now)
    to_day = query.to_day or today.replace(day=monthrange(today.year, today.month)[1])
    if not today <= to_day < today + LONGEST:
        raise InvalidParams.at("to", f"must be from {today} to {today + LONGEST - ONE_DAY}")
    REQUIRE[query.entity](context, query.entity_id)
    with context.marts.cursor() as cursor:
        parameters = context.organization_id, query.entity, query.entity_id, to_day
        views = view_forecast(cursor, *parameters) if cursor else None
        whose = (context.organization_id, [query.entity_id], today)
        paid = payout_forecasts(cursor, *whose).get(query.entity_id) if cursor else None
    return _answer(query, to_day, zone, views, paid)


def _answer(
    query: ForecastQuery,
    to_day: date,
    zone: str,
    forecast: ViewForecast | None,
    paid: PayoutForecast | None,
) -> Forecast:
    hidden = forecast.hidden_because if forecast else "too_little_history"
    proven = forecast if forecast and not hidden else None
    return Forecast(
        entity=query.entity,
        entity_id=query.entity_id,
        from_day=forecast and forecast.from_day,
        to_day=to_day,
        timezone=zone,
        shown=proven is not None,
        hidden_because=hidden,
        views=proven and proven.views,
        low_views=proven and proven.low_views,
        high_views=proven and proven.high_views,
        baseline_views=forecast and forecast.baseline_views,
        payouts=paid and _payouts(paid),
    )


def _payouts(forecast: PayoutForecast) -> PayoutsExpected:
    proven = None if forecast.hidden_because else forecast
    return PayoutsExpected(
        to_day=forecast.day,
        shown=proven is not None,
        hidden_because=forecast.hidden_because,
        cents=proven and proven.to_come_cents,
        low_cents=proven and proven.low_cents,
        high_cents=proven and proven.high_cents,
        baseline_cents=forecast.baseline_cents,
    )


def sheet_of(forecast: Forecast) -> CsvResponse:
    """Return a CSV row of views, and one of payouts if there is a forecast."""
    views = [forecast.views, forecast.low_views, forecast.high_views, forecast.baseline_views]
    rows: list[list[Cell]] = [["views", forecast.to_day, *views, forecast.hidden_because]]
    if (paid := forecast.payouts) is not None:
        cents = [paid.cents, paid.low_cents, paid.high_cents, paid.baseline_cents]
        rows.append(["payout_cents", paid.to_day, *cents, paid.hidden_because])
    return csv_response("forecast", COLUMNS, rows, headers={})


router = keyed_router("analytics", ParamsRoute)


@router.get(
    "/analytics/forecast",
    response_model=Envelope[Forecast],
    responses={200: CSV, **answers(InvalidParams, NotFound)},
)
def get_forecast(*, context: Reader, query: Params[ForecastQuery]) -> Envelope[Forecast] | Response:
    """Forecast the views of a project, campaign or creator through a day, and its payouts.

    Based on curves of the project's own posts by age, with an 80% interval. The baseline continues
    the last seven days. `views` is null until three weeks can be compared with the week before.
    `payouts` are the cents still expected by the end of the month. `format=csv` returns a row for
    each.
    """
    forecast = read_forecast(context, query)
    return sheet_of(forecast) if query.format == "csv" else Envelope(data=forecast)
