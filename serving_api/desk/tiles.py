"""The figures on top of the overview: a number, its change, and its course in the period."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from urllib.parse import urlencode
from uuid import UUID

from serving_api.charts.chart import Unit, Value, sparkline
from serving_api.desk.charts import ViewsChart
from serving_api.desk.periods import Period
from serving_api.desk.view_charts import views_of_project
from serving_api.kit.days import ONE_DAY, DayRangeQuery
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.campaign_costs import per_thousand
from serving_api.resources.analytics.project_views import find_views
from serving_api.resources.payouts.accruals.summary import page_dollars
from serving_api.resources.payouts.budgets.spend import spendings_beside
from warehouse.reading.accruals.committed_spend import AccrualFilter, CommittedSpend
from warehouse.reading.project_views import DailyViews

STEPS = 28
"""The most points of the course of spend."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure, the page that shows it too, its change in percent, and an SVG path of its course.

    `more_is` is 1 if more of it is good, -1 if bad, 0 if neither.
    """

    label: str
    value: Value
    unit: Unit
    path: str
    change: float | None = None
    course: str = ""
    hint: str = ""
    more_is: int = 1


def spend_filters(project_id: UUID, period: Period) -> list[AccrualFilter]:
    """Return filters of pay periods that end within `tiles_of`'s steps and compared days."""
    ranges = [(period.days.from_day, end) for end in _ends(period)]
    if period.compared and period.before:
        ranges += [(days.from_day, days.to_day) for days in (period.compared, period.before)]
    return [AccrualFilter(project_id=project_id, from_day=a, to_day=b) for a, b in ranges]


def spend_of(context: RequestContext, project_id: UUID, period: Period) -> int:
    """Return the cents of a project's spend in the period, as its tile has them."""
    days = AccrualFilter(
        project_id=project_id, from_day=period.days.from_day, to_day=period.days.to_day
    )
    return spendings_beside(context, [], [days])[1][0].total_cents


def _ends(period: Period) -> list[date]:
    step = -(-period.days.days // STEPS)
    return [period.days.to_day - n * ONE_DAY for n in range(0, period.days.days, step)][::-1]


def tiles_of(
    context: RequestContext,
    project_id: UUID,
    period: Period,
    *,
    views: ViewsChart,
    spent: Sequence[CommittedSpend],
    owed: CommittedSpend,
) -> Iterator[Tile]:
    """Yield the six figures of a project. `spent` are the sums of `spend_filters`."""
    yield from post_tiles(context, project_id, period, views)
    yield from _costs(period, views, [each.total_cents for each in spent])
    waiting = f"{page_dollars(owed.final_cents)} to approve" if owed.final_cents else ""
    yield Tile("To pay", owed.approved_cents, "cents", "/payouts?status=approved", hint=waiting)


def post_tiles(
    context: RequestContext, project_id: UUID, period: Period, views: ViewsChart | None = None
) -> Iterator[Tile]:
    """Yield the figures of a project's posts, which their rankings show too."""
    views = views or views_of_project(context, project_id, period)
    _, daily, _ = find_views(context, project_id, DayRangeQuery(**period.span))
    engaged, rate = engagement_of(views, daily)
    earlier = views.total_before_tracking
    earlier_words = f"{earlier:,} more from before tracking: rules that begin earlier pay them"
    ranked = f"/posts/ranked{period.suffix}"
    yield _counted("Views gained", views, ranked, earlier_words if earlier else "")
    yield _counted("Posts published", replace(_charted(views, daily.posts), read=None), ranked)
    share = "" if rate is None else f"{rate:.1f}% of views gained"
    by_likes = urlencode({**period.query, "metric": "likes"})
    yield _counted("Engagements", engaged, f"/posts/ranked?{by_likes}", share)


def cost_tiles(context: RequestContext, project_id: UUID, period: Period) -> Iterator[Tile]:
    """Yield the figures of a project's costs, which the page of campaigns shows too."""
    views = views_of_project(context, project_id, period)
    _, spent = spendings_beside(context, [], spend_filters(project_id, period))
    yield from _costs(period, views, [each.total_cents for each in spent])


def engagement_of(views: ViewsChart, daily: DailyViews) -> tuple[ViewsChart, float | None]:
    """Return likes, comments, shares and saves gained by day, and in percent of `views`."""
    is_known = daily.engagements or not daily.new
    engaged = _charted(views, daily.engagements, 0 if is_known else None)
    has_rate = views.total > 0 and not engaged.is_empty
    return engaged, 100 * engaged.total / views.total if has_rate else None


def _charted(views: ViewsChart, counts: Mapping[date, int], other: int | None = 0) -> ViewsChart:
    """Return counts by day, and `other` on the other days with known views."""
    return replace(
        views,
        views=[
            counts.get(day, None if count is None else other)
            for day, count in zip(views.days, views.views, strict=True)
        ],
        previous=[
            None if count is None else counts.get(day - views.shift, other)
            for day, count in zip(views.days, views.previous, strict=True)
        ],
    )


def _counted(label: str, chart: ViewsChart, path: str, hint: str = "") -> Tile:
    total = None if chart.is_empty else chart.total
    return Tile(
        label, total, "count", path, chart.change, sparkline(chart.drawn(chart.views)), hint
    )


def _costs(period: Period, views: ViewsChart, cents: Sequence[int]) -> Iterator[Tile]:
    """Yield spend, also per 1,000 views; no spend and unknown views have no price.

    Neither has a change if views of the days before are known only in part, as views gained.
    """

    def price(spend: int, counts: Sequence[int | None]) -> int | None:
        known = [count for count in counts if count is not None]
        return per_thousand(spend, sum(known), 0) if spend and known else None

    ends = _ends(period)
    so_far, compared = cents[: len(ends)], cents[len(ends) :]
    whole = sum(day <= views.whole_to for day in views.days)
    reached = [(end - period.days.from_day).days + 1 for end in ends]
    prices = [price(spend, views.views[:n]) for spend, n in zip(so_far, reached, strict=True)]
    counts = (views.views[:whole], views.previous[:whole])
    compared_prices = [price(spend, those) for spend, those in zip(compared, counts, strict=False)]
    hint = "Pay periods that end in these days"
    is_known = None not in views.previous[:whole]
    change, course = _change(compared) if is_known else None, sparkline(so_far)
    spend = so_far[-1] if period.whole_to > date.min else None
    path = f"/payouts?{urlencode(period.full_query)}"
    yield Tile("Spend", spend, "cents", path, change, course, hint, more_is=0)
    change = _change(compared_prices) if is_known else None
    hint = "Spend by views gained"
    course = sparkline(prices)
    path = f"/campaigns{period.suffix}"
    yield Tile("Spend per 1,000", prices[-1], "cents", path, change, course, hint, -1)


def _change(pair: Sequence[int | None]) -> float | None:
    now, before = pair or (None, None)
    return 100 * (now - before) / before if now is not None and before and before > 0 else None
