"""Daily views gained while tracked, the previous period, and forecasts to the end of the month."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any, Literal
from uuid import UUID

from serving_api.charts.chart import Chart, ChartEvent, Line
from serving_api.desk.charts import ViewsChart, shift_of
from serving_api.desk.periods import Period
from serving_api.kit.days import ONE_DAY, DayRangeQuery, today_in
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.forecasts import Forecast, ForecastQuery, read_forecast
from serving_api.resources.analytics.project_views import ViewsOfDay, find_views, read_views
from serving_api.resources.analytics.series.schemas import AnalyticsQuery
from serving_api.resources.analytics.series.service import read_series
from warehouse.reading.before_tracking import (
    BeforeTrackingQuery,
    views_before_tracking,
    views_known_from,
)
from warehouse.reading.goal_forecasts import Outlook as GoalOutlook
from warehouse.reading.view_days import days_with_views
from warehouse.reading.view_forecasts import ForecastEntity, view_forecasts

BEGAN = "First check"


def views_of_project(context: RequestContext, project_id: UUID, period: Period) -> ViewsChart:
    """Return the views that a project's counted posts gained while tracked."""
    query = DayRangeQuery(**period.span)
    days = read_views(context, project_id, query).days
    daily = find_views(context, project_id, query)[1]
    earlier = {
        day.previous_day: _gained(
            day.previous_views,
            day.previous_views_before_tracking,
            is_first=day.previous_day == daily.first_day,
        )
        for day in days
    }
    return ViewsChart(
        days=[day.day for day in days],
        views=[_gained(day.views, day.views_before_tracking) for day in days],
        previous=_shifted(earlier, [day.day for day in days], period),
        before_tracking=[day.views_before_tracking or 0 for day in days],
        events=_began(days),
        whole_to=period.whole_to,
        read=_read_days(context, project_id, daily.new),
    )


def _read_days(
    context: RequestContext, project_id: UUID, new: Mapping[date, int]
) -> Collection[date]:
    """Return the days on which views were read; days without views gained may have other rows.

    Readings of profiles, and posts that were not read yet. Such days of large projects are few.
    """
    gained = {day for day, views in new.items() if views}
    if not (others := new.keys() - gained):
        return gained
    days = (min(others), max(others), context.marts_zone)
    query = BeforeTrackingQuery(context.organization_id, "project", project_id, *days)
    read = context.marts.cached(days_with_views, query, len)
    return gained.union(read[0] if read else ())


def views_of(
    context: RequestContext,
    entity: Literal["creator", "campaign", "video"],
    entity_id: UUID,
    period: Period,
) -> ViewsChart:
    """Return the views that a post, or a creator's or campaign's posts, gained while tracked.

    Raises NotFound.
    """
    params: dict[str, Any] = {
        "entity": entity,
        "entity_id": entity_id,
        "metric": "views",
        "compare": "prior_period",
        "hide_auto": "1",
    }
    query = AnalyticsQuery(**params, **period.span, tz=context.marts_zone)
    analytics = read_series(context, query).data
    [now], [earlier] = analytics.series, analytics.compare_series
    from_before, known_from, last_day, read = _from_before(context, entity, entity_id, period)
    days = [point["bucket_start"] for point in now["points"]]
    first = period.days.prior.from_day
    earlier_days = (first + number * ONE_DAY for number in range(len(days)))
    before = {
        day: _gained(point["value"], from_before.get(day), is_first=day == known_from)
        for day, point in zip(earlier_days, earlier["points"], strict=True)
        if known_from <= day
    }
    return ViewsChart(
        days=days,
        views=[
            _gained(point["value"], from_before.get(day)) if known_from <= day <= last_day else None
            for day, point in zip(days, now["points"], strict=True)
        ],
        previous=_shifted(before, days, period),
        before_tracking=[from_before.get(day, 0) for day in days],
        events=[ChartEvent(first_day, BEGAN)]
        if (first_day := analytics.first_data_date) in days
        else [],
        whole_to=period.whole_to,
        read=read,
    )


def _shifted(
    values: Mapping[date, int | None], days: Sequence[date], period: Period
) -> list[int | None]:
    """Return the values that days are compared with; None for a day in progress."""
    shift = shift_of(days, period.whole_to)
    return [values.get(day - shift) if day <= period.whole_to else None for day in days]


def _began(days: Sequence[ViewsOfDay]) -> list[ChartEvent]:
    """Return the first known day, if an unknown day precedes it in the range."""
    return [
        ChartEvent(day.day, BEGAN)
        for before, day in pairwise(days)
        if before.views is None and day.views is not None
    ][:1]


def _from_before(
    context: RequestContext,
    entity: Literal["creator", "campaign", "video"],
    entity_id: UUID,
    period: Period,
) -> tuple[Mapping[date, int], date, date, Collection[date]]:
    """Return views from before tracking by day, the days of known views, and those with readings.

    Of both periods. Without any, known days end before they begin.
    """
    query = BeforeTrackingQuery(
        context.organization_id,
        entity,
        entity_id,
        from_day=period.days.prior.from_day,
        to_day=period.days.to_day,
        zone=context.marts_zone,
    )
    first = context.marts.cached(views_known_from, query, len)
    before = context.marts.cached(views_before_tracking, query, len)
    read = context.marts.cached(days_with_views, query, len)
    if not first or not before or not read or first[0][0] is None:
        return {}, date.max, date.min, ()
    return before[0], first[0][0], today_in(query.zone, before[1].as_of), read[0]


def _gained(new: float | None, before: int | None, *, is_first: bool = False) -> int | None:
    """Return the views gained while tracked, as an integer; series contain floats.

    Unknown on the first day of tracking if all of its views are from before.
    """
    if new is None or (is_first and before and new == before):
        return None
    return int(new) - (before or 0)


OUTLOOKS: Mapping[GoalOutlook, str] = {
    "on_course": "reaches the target",
    "at_risk": "may miss the target",
    "out_of_reach": "misses the target",
}


@dataclass(frozen=True, slots=True)
class Outlook:
    """The forecast to the end of the month. `days` charts the running totals; None unless shown."""

    forecast: Forecast
    days: Chart | None


def to_month_end(
    context: RequestContext, entity: ForecastEntity, entity_id: UUID
) -> Outlook | None:
    """Return the forecast of a project, campaign or creator. Raises NotFound.

    None if it is hidden, or only of the day in progress, whose numbers may exceed it.
    """
    forecast = read_forecast(context, ForecastQuery(entity=entity, entity_id=entity_id))
    if context.marts_today >= forecast.to_day:
        return None
    if not forecast.shown and not (forecast.payouts and forecast.payouts.shown):
        return None
    return Outlook(forecast, _days(context, forecast) if forecast.shown else None)


def _days(context: RequestContext, forecast: Forecast) -> Chart:
    """Chart the expected total views through each coming day."""
    first = context.marts_today
    scope = (context.organization_id, forecast.entity, forecast.entity_id)
    with context.marts.cursor() as cursor:
        rows = view_forecasts(cursor, *scope, first, forecast.to_day) if cursor else []
    row_by_day = {row.day: row for row in rows if not row.hidden_because}
    days = [first + number * ONE_DAY for number in range((forecast.to_day - first).days + 1)]

    def column(name: str) -> list[int | None]:
        return [getattr(row_by_day.get(day), name, None) for day in days]

    low, high = column("low_views"), column("high_views")
    expected = Line("Expected", column("views"), "expected", low=low, high=high)
    pace = Line("At the pace of the last 7 days", column("baseline_views"), "earlier")
    return Chart("Views forecast", days, [expected, pace])
