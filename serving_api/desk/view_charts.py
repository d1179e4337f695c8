"""The views of the last 30 days, and of the 30 before, as services tell them."""

from datetime import timedelta
from typing import Any, Literal
from uuid import UUID

from serving_api.desk.charts import ViewsChart
from serving_api.kit.days import DayRangeQuery, today_in
from serving_api.kit.errand import Errand
from serving_api.resources.analytics.project_views import read_views
from serving_api.resources.analytics.series.schemas import AnalyticsQuery
from serving_api.resources.analytics.series.service import read_series
from warehouse.operational.base import business_now

BEFORE_TODAY = timedelta(days=29)


def views_of_project(errand: Errand, project_id: UUID) -> ViewsChart:
    """Return what a project's counted posts gained."""
    days = read_views(errand, project_id, DayRangeQuery(**last_days(errand))).days
    return ViewsChart(
        days=[one.day for one in days],
        views=[one.views for one in days],
        previous=[one.previous_views for one in days],
    )


def views_of(
    errand: Errand, entity: Literal["creator", "campaign", "video"], entity_id: UUID
) -> ViewsChart:
    """Return what a post or the posts of a creator or a campaign gained. Raises NotFound."""
    asked: dict[str, Any] = {
        "entity": entity,
        "entity_id": entity_id,
        "metric": "views",
        "compare": "prior_period",
        "hide_auto": "1",
    }
    query = AnalyticsQuery(**asked, **last_days(errand))
    found = read_series(errand, errand.services.figures, query).data
    [now], [before] = found.series, found.compare_series
    return ViewsChart(
        days=[point["bucket_start"] for point in now["points"]],
        views=[_whole(point["value"]) for point in now["points"]],
        previous=[_whole(point["value"]) for point in before["points"]],
    )


def _whole(value: float | None) -> int | None:
    """Return a count, which series hold among rates."""
    return None if value is None else int(value)


def last_days(errand: Errand) -> dict[str, Any]:
    """Return the days as parameters, `from` and `to`."""
    today = today_in(errand.caller.analytics_tz, business_now(errand.session))
    return {"from": today - BEFORE_TODAY, "to": today}
