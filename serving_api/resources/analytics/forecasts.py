"""`/analytics/forecast`: views and pay that a project, campaign or creator is expected to gain."""

from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Query, Response
from pydantic import BaseModel, Field

from serving_api.auth.dependencies import Reader
from serving_api.errors import InvalidParams, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.csv import MEDIA_TYPE, CsvResponse, csv_response
from serving_api.kit.days import ONE_DAY, today_in
from serving_api.kit.envelope import Envelope
from serving_api.kit.repeatable import repeatable
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Day
from serving_api.openapi import answers
from serving_api.resources.analytics.forecast_accuracy import ForecastAccuracy
from serving_api.resources.analytics.series.endpoints import ParamsRoute
from serving_api.resources.organization import projects
from serving_api.resources.programs.campaigns import repository as campaigns
from serving_api.resources.tracking.creators import repository as creators
from warehouse.csv_cells import Cell
from warehouse.operational.base import business_now
from warehouse.reading.payout_forecasts import PayoutForecast, PayoutHidden, payout_forecasts
from warehouse.reading.view_forecasts import (
    ForecastEntity,
    Hidden,
    ViewForecast,
    view_forecast,
)

COLUMNS = (
    *("metric", "to_day", "expected", "low", "high", "baseline", "hidden_because"),
    *("tests", "mape", "baseline_mape", "coverage", "tested_days"),
)
CSV = {
    "content": {
        MEDIA_TYPE: {
            "schema": {"type": "string"},
            "example": f"{','.join(COLUMNS)}\r\n"
            "views,2026-05-31,1200,960,1800,1080,,40,0.25,0.5,0.8125,7\r\n",
        }
    }
}
LONGEST = timedelta(days=92)
"""How far ahead marts.view_forecasts looks."""


class ForecastQuery(BaseModel):
    """Of whom, and through which day."""

    entity: ForecastEntity
    entity_id: UUID
    to_day: Day | None = Field(
        default=None,
        alias="to",
        description="Inclusive, at most 92 days from today on; default: the end of this month",
    )
    format: Literal["json", "csv"] = "json"


UNTESTED = ForecastAccuracy(days=None, tests=0, mape=None, baseline_mape=None, coverage=None)


class PayoutsExpected(BaseModel):
    """What accruals whose periods end in this month are still to come to, in cents of US dollars.

    On top of what they come to now, fixed fees included.
    """

    to_day: date = Field(description="The last day of the month, whatever `to` is")
    shown: bool = Field(description="Whether such forecasts proved better than the baseline")
    hidden_because: PayoutHidden | None = Field(description="Why not; null where it is shown")
    cents: int | None = Field(description="Cents expected; null where it is not shown")
    low_cents: int | None = Field(description="Lower end of the 80% interval; likewise")
    high_cents: int | None = Field(description="Upper end of it; likewise")
    baseline_cents: int = Field(description="As in the last whole week or month")
    accuracy: ForecastAccuracy


class Forecast(BaseModel):
    """Views expected from `from_day` through `to_day`, of posts there are and posts to come."""

    entity: ForecastEntity
    entity_id: UUID
    from_day: date | None = Field(
        description="The day after the last whole one that is known; null where nothing is"
    )
    to_day: date
    timezone: str = Field(description="The organization's: its days are meant")
    shown: bool = Field(
        description="Whether forecasts as far ahead proved better than the baseline"
    )
    hidden_because: Hidden | None = Field(description="Why not; null where it is shown")
    views: int | None = Field(description="Views expected; null where it is not shown")
    low_views: int | None = Field(description="Lower end of the 80% interval; likewise")
    high_views: int | None = Field(description="Upper end of it; likewise")
    baseline_views: int | None = Field(
        description="As in the last seven whole days; null where nothing is known"
    )
    accuracy: ForecastAccuracy
    payouts: PayoutsExpected | None = Field(
        description="What is still to be earned by the rules in force; null where nobody is paid,"
        " or nothing is known of the present month"
    )


def _require_creator(context: RequestContext, creator_id: UUID) -> None:
    if creators.find(context.session, context.organization_id, creator_id) is None:
        raise NotFound.named("Creator")


REQUIRE: Mapping[ForecastEntity, Callable[[RequestContext, UUID], object]] = {
    "project": lambda context, project_id: projects.require(
        context.session, context.organization_id, project_id
    ),
    "campaign": lambda context, campaign_id: campaigns.require_in(
        context.session, context.organization_id, None, campaign_id
    ),
    "creator": _require_creator,
}
"""What raises NotFound where there is no such thing in the organization."""


def read_forecast(context: RequestContext, query: ForecastQuery) -> Forecast:
    """Return what is expected. Raises InvalidParams and NotFound."""
    zone = context.marts_zone
    today = today_in(zone, business_now(context.session))
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
    hidden = forecast.hidden_because if forecast else "too_few_tests"
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
        accuracy=ForecastAccuracy.of(forecast) if forecast else UNTESTED,
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
        accuracy=ForecastAccuracy.of(forecast),
    )


def sheet_of(forecast: Forecast) -> CsvResponse:
    """Return a line of views, and one of payouts where there are any."""
    views = [forecast.views, forecast.low_views, forecast.high_views, forecast.baseline_views]
    rows = [_line("views", forecast.to_day, views, forecast)]
    if (paid := forecast.payouts) is not None:
        cents = [paid.cents, paid.low_cents, paid.high_cents, paid.baseline_cents]
        rows.append(_line("payout_cents", paid.to_day, cents, paid))
    return csv_response("forecast", COLUMNS, rows, headers={})


def _line(
    metric: str, to_day: date, values: list[int | None], forecast: Forecast | PayoutsExpected
) -> list[Cell]:
    tested = forecast.accuracy
    did = [tested.tests, tested.mape, tested.baseline_mape, tested.coverage, tested.days]
    return [metric, to_day, *values, forecast.hidden_because, *did]


router = keyed_router("analytics", ParamsRoute)


@router.get(
    "/analytics/forecast",
    response_model=Envelope[Forecast],
    responses={200: CSV, **answers(InvalidParams, NotFound)},
)
@repeatable()
def get_forecast(
    *, context: Reader, query: Annotated[ForecastQuery, Query()]
) -> Envelope[Forecast] | Response:
    """Forecast the views of a project, campaign or creator through a day, and its payouts.

    From curves of the project's own posts by age, with an interval that holds eight of ten.
    Beside it stands the baseline, on as in the last seven days. `views` is shown only where
    forecasts as far ahead proved better than it over the project's stored history.
    `payouts` are what is still to be earned by the end of the month. `format=csv` gives a line of
    each.
    """
    forecast = read_forecast(context, query)
    return sheet_of(forecast) if query.format == "csv" else Envelope(data=forecast)
