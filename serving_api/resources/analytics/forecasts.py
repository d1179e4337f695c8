"""`/analytics/forecast`: what a project, campaign or creator is expected to gain in views."""

from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel, Field

from serving_api.auth.dependencies import Reader
from serving_api.errors import InvalidParams, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.days import ONE_DAY, today_in
from serving_api.kit.envelope import Envelope
from serving_api.kit.errand import Errand
from serving_api.kit.schemas import Day
from serving_api.openapi import answers
from serving_api.resources.analytics.series.endpoints import ParamsRoute
from serving_api.resources.organization import projects
from serving_api.resources.programs.campaigns import repository as campaigns
from serving_api.resources.tracking.creators import repository as creators
from warehouse.operational.base import business_now
from warehouse.reading.view_forecasts import (
    ForecastEntity,
    Hidden,
    ViewForecast,
    view_forecast,
)

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


class ForecastAccuracy(BaseModel):
    """How forecasts as far ahead did over the organization's stored history."""

    tests: int = Field(description="Forecasts of past weeks to which at least 1,000 views came")
    mape: float | None = Field(
        description="Their mean absolute error as a share of what came; null without tests"
    )
    baseline_mape: float | None = Field(description="The same of the baseline")
    coverage: float | None = Field(
        description="Share of the 80% intervals that held what came; null while there were none"
    )


UNTESTED = ForecastAccuracy(tests=0, mape=None, baseline_mape=None, coverage=None)


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


def _require_creator(errand: Errand, creator_id: UUID) -> None:
    if creators.find(errand.session, errand.organization_id, creator_id) is None:
        raise NotFound.named("Creator")


REQUIRE: Mapping[ForecastEntity, Callable[[Errand, UUID], object]] = {
    "project": lambda errand, one: projects.require(errand.session, errand.organization_id, one),
    "campaign": lambda errand, one: campaigns.require_in(
        errand.session, errand.organization_id, None, one
    ),
    "creator": _require_creator,
}
"""What raises NotFound where there is no such thing in the organization."""


def read_forecast(errand: Errand, query: ForecastQuery) -> Forecast:
    """Return what is expected. Raises InvalidParams and NotFound."""
    zone = errand.caller.analytics_tz
    today = today_in(zone, business_now(errand.session))
    to_day = query.to_day or today.replace(day=monthrange(today.year, today.month)[1])
    if not today <= to_day < today + LONGEST:
        raise InvalidParams.at("to", f"must be from {today} to {today + LONGEST - ONE_DAY}")
    REQUIRE[query.entity](errand, query.entity_id)
    with errand.numbers.cursor() as cursor:
        asked = errand.organization_id, query.entity, query.entity_id, to_day
        found = view_forecast(cursor, *asked) if cursor else None
    return _answer(query, to_day, zone, found)


def _answer(query: ForecastQuery, to_day: date, zone: str, found: ViewForecast | None) -> Forecast:
    hidden = found.hidden_because if found else "too_few_tests"
    shown = found if found and not hidden else None
    return Forecast(
        entity=query.entity,
        entity_id=query.entity_id,
        from_day=found and found.from_day,
        to_day=to_day,
        timezone=zone,
        shown=shown is not None,
        hidden_because=hidden,
        views=shown and shown.views,
        low_views=shown and shown.low_views,
        high_views=shown and shown.high_views,
        baseline_views=found and found.baseline_views,
        accuracy=_accuracy(found) if found else UNTESTED,
    )


def _accuracy(found: ViewForecast) -> ForecastAccuracy:
    return ForecastAccuracy(
        tests=found.tests,
        mape=_share(found.mape),
        baseline_mape=_share(found.baseline_mape),
        coverage=_share(found.coverage),
    )


def _share(exact: Decimal | None) -> float | None:
    return None if exact is None else round(float(exact), 4)


router = keyed_router("analytics", ParamsRoute)


@router.get("/analytics/forecast", responses=answers(InvalidParams, NotFound))
def get_forecast(*, errand: Reader, query: Annotated[ForecastQuery, Query()]) -> Envelope[Forecast]:
    """Forecast the views of a project, campaign or creator through a day.

    From curves of the organization's own posts by age, with an interval that holds eight of ten.
    Beside it stands the baseline, on as in the last seven days. `views` is shown only where
    forecasts as far ahead proved better than it over the organization's stored history.
    """
    return Envelope(data=read_forecast(errand, query))
