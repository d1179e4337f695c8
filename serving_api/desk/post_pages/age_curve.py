"""A post's views by its age."""

from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from serving_api.charts.chart import Chart, Line
from serving_api.kit.days import ONE_DAY
from serving_api.kit.request_context import RequestContext
from serving_api.kit.retention import kept_from
from serving_api.kit.schemas import EARLIEST_DAY
from serving_api.resources.analytics.series.schemas import AnalyticsQuery
from serving_api.resources.analytics.series.service import read_series
from serving_api.resources.tracking.videos.schemas import VideoDetail

LONGEST = timedelta(days=90)


def age_curve(context: RequestContext, post: VideoDetail) -> Chart | None:
    """Return the views at the end of each day since it was posted, 90 days at most.

    It ends with the last day that the numbers reach. None if nothing is known of these days, or the
    plan does not keep the first of them.
    """
    whole_to = context.marts_whole_to
    if post.posted_at is None or whole_to is None:
        return None
    today, last = context.marts_today, whole_to + ONE_DAY
    first = post.posted_at.astimezone(ZoneInfo(context.marts_zone)).date()
    kept = kept_from(context.caller.plan.tier_retention_days, today)
    if not max(kept or EARLIEST_DAY, EARLIEST_DAY) <= first <= min(last, today):
        return None
    query: dict[str, Any] = {"entity": "video", "entity_id": post.id, "metric": "views"}
    query |= {"from": first, "to": min(first + LONGEST, last, today), "tz": context.marts_zone}
    analytics_query = AnalyticsQuery(**query, mode="cumulative", hide_auto="1")
    [series] = read_series(context, analytics_query).data.series
    values = [point["value"] for point in series["points"]]
    ages, views = range(len(values)), Line("Views", values, "area")
    chart = Chart("Views by age", ages, [views], heading="Age in days")
    return None if chart.is_empty else chart
