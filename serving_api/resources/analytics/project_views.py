"""`/projects/{project_id}/views-by-day`: what a project gained, beside the period before."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel, Field

from serving_api.auth.dependencies import Reader
from serving_api.errors import InvalidParams, NotFound, RetentionExceeded
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.days import ONE_DAY, DayRange, DayRangeQuery
from serving_api.kit.envelope import Envelope
from serving_api.kit.repeatable import repeatable
from serving_api.kit.request_context import RequestContext
from serving_api.openapi import answers
from serving_api.resources.analytics.leaderboards.service import Window, window_of
from serving_api.resources.analytics.series.endpoints import ParamsRoute
from serving_api.resources.organization import projects
from warehouse.reading.project_views import NO_VIEWS, DailyViews, DailyViewsQuery, daily_views

FROM_BEFORE = (
    "What of `views` is from before tracking: what older posts had when their views were first"
    " known. The rest was gained while tracked"
)


class ViewsOfDay(BaseModel):
    """A day, and the one that it is compared with. Null is not known, and never 0."""

    day: date
    views: int | None = Field(
        description="New on the day, as series count; less than 0 where counts fell"
    )
    views_before_tracking: int | None = Field(description=FROM_BEFORE)
    previous_day: date
    previous_views: int | None
    previous_views_before_tracking: int | None


class ViewsByDay(BaseModel):
    """The views that the counted posts of a project gained, by day of `timezone`."""

    project_id: UUID
    timezone: str
    as_of: datetime | None = Field(description="Until when numbers reach: that day is in progress")
    views: int | None = Field(description="Of all days that are known; null where none is")
    views_before_tracking: int | None = Field(description=FROM_BEFORE)
    previous_views: int | None = Field(
        description="Of as many days before; null too where the plan does not keep all of them"
    )
    days: list[ViewsOfDay]


def read_views(context: RequestContext, project_id: UUID, query: DayRangeQuery) -> ViewsByDay:
    """Return the views by day. Raises InvalidParams, NotFound and RetentionExceeded."""
    window = window_of(context, query, refusal=InvalidParams)
    projects.require(context.session, context.organization_id, project_id)
    days, prior = window.days, window.days.prior
    views_query = DailyViewsQuery(context.organization_id, project_id, prior.from_day, days.to_day)
    answer = context.marts.worked_out(daily_views, views_query, lambda views: len(views.new))
    views, as_of = (answer[0], answer[1].as_of) if answer else (NO_VIEWS, None)
    listed = _days(views, window)
    return ViewsByDay(
        project_id=project_id,
        timezone=days.zone,
        as_of=as_of,
        views=known_sum(day.views for day in listed),
        views_before_tracking=known_sum(day.views_before_tracking for day in listed),
        previous_views=known_sum(day.previous_views for day in listed),
        days=listed,
    )


def _days(views: DailyViews, window: Window) -> list[ViewsOfDay]:
    pairs = zip(_each(window.days), _each(window.days.prior), strict=True)
    return [
        ViewsOfDay(
            day=day,
            views=views.on(day),
            views_before_tracking=views.before_on(day),
            previous_day=before,
            previous_views=views.on(before) if window.compares else None,
            previous_views_before_tracking=views.before_on(before) if window.compares else None,
        )
        for day, before in pairs
    ]


def _each(days: DayRange) -> list[date]:
    return [days.from_day + number * ONE_DAY for number in range(days.days)]


def known_sum(views: Iterable[int | None]) -> int | None:
    """Return what the known ones come to, None where none is."""
    known = [count for count in views if count is not None]
    return sum(known) if known else None


router = keyed_router("projects", ParamsRoute)


@router.get(
    "/projects/{project_id}/views-by-day",
    responses=answers(InvalidParams, NotFound, RetentionExceeded),
)
@repeatable()
def get_views_by_day(
    *, context: Reader, project_id: UUID, query: Annotated[DayRangeQuery, Query()]
) -> Envelope[ViewsByDay]:
    """Tell what a project's counted posts gained in views, day by day.

    Each day has the one beside it that lies as many days earlier as were asked for, so that both
    periods can be drawn above each other. Days are of the organization's zone, `to` is at most
    today. A day before any views were known, or after the last numbers, is null.
    """
    return Envelope(data=read_views(context, project_id, query))
