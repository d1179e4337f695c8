"""`/projects/{project_id}/views-by-day`: new views of a project, compared with the prior period."""

from datetime import date, datetime
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.auth.dependencies import Reader
from serving_api.errors import InvalidParams, RetentionExceeded
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.counters import sum_of_known
from serving_api.kit.days import ONE_DAY, DayRange, DayRangeQuery
from serving_api.kit.envelope import Envelope
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.analytics.leaderboards.comparing import Window
from serving_api.resources.analytics.leaderboards.service import window_of
from serving_api.resources.analytics.series.service import ParamsRoute
from serving_api.resources.organization import projects
from warehouse.reading.project_views import NO_VIEWS, DailyViews, DailyViewsQuery, daily_views

FROM_BEFORE = (
    "The part of `views` from before tracking: views of older posts at their first reading. The"
    " rest was gained while tracked"
)


class ViewsOfDay(BaseModel):
    """A day and the one it is compared with. Null means unknown, never 0."""

    day: date
    views: int | None = Field(
        description="New views of the day, as in series. Negative if counts fell"
    )
    views_before_tracking: int | None = Field(description=FROM_BEFORE)
    previous_day: date
    previous_views: int | None
    previous_views_before_tracking: int | None


class ViewsByDay(BaseModel):
    """New views of a project's counted posts by day in `timezone`."""

    project_id: UUID
    timezone: str
    as_of: datetime | None = Field(
        description="`as_of` of the publication. Its day is still in progress"
    )
    views: int | None = Field(description="Sum of all known days. Null if none is known")
    views_before_tracking: int | None = Field(description=FROM_BEFORE)
    previous_views: int | None = Field(
        description="Sum of as many days before. Null if unknown, or if the plan does not retain"
        " all of them"
    )
    days: list[ViewsOfDay]


def read_views(context: RequestContext, project_id: UUID, query: DayRangeQuery) -> ViewsByDay:
    """Return the views by day. Raises InvalidParams, NotFound and RetentionExceeded."""
    window, views, as_of = find_views(context, project_id, query)
    days, listed = window.days, _days(views, window)
    return ViewsByDay(
        project_id=project_id,
        timezone=days.zone,
        as_of=as_of,
        views=sum_of_known(day.views for day in listed),
        views_before_tracking=sum_of_known(day.views_before_tracking for day in listed),
        previous_views=sum_of_known(day.previous_views for day in listed),
        days=listed,
    )


def find_views(
    context: RequestContext, project_id: UUID, query: DayRangeQuery
) -> tuple[Window, DailyViews, datetime | None]:
    """Return the requested days, what is known of them, and the publication's `as_of`.

    Raises InvalidParams, NotFound and RetentionExceeded.
    """
    window = window_of(context, query, refusal=InvalidParams)
    projects.require(context.session, context.organization_id, project_id)
    days, prior = window.days, window.days.prior
    views_query = DailyViewsQuery(context.organization_id, project_id, prior.from_day, days.to_day)
    answer = context.marts.cached(daily_views, views_query, lambda views: 3 * len(views.new))
    return (window, answer[0], answer[1].as_of) if answer else (window, NO_VIEWS, None)


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


router = keyed_router("projects", ParamsRoute)


@router.get("/projects/{project_id}/views-by-day", responses=answers(RetentionExceeded))
def get_views_by_day(
    *, context: Reader, project_id: UUID, query: Params[DayRangeQuery]
) -> Envelope[ViewsByDay]:
    """Return the new views of a project's counted posts by day.

    Each day has a day of the prior period beside it, as many days earlier as were requested, so
    that a chart can overlay both. Days are in the organization's timezone; `to` is at most today.
    Days before the first or after the last known views are null.
    """
    return Envelope(data=read_views(context, project_id, query))
