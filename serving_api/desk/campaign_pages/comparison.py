"""Two campaigns side by side: figures of the period with their difference, and views by day."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from serving_api.charts.chart import Chart, Line, Unit, Value
from serving_api.desk.campaign_pages.tree import Branch, tracked_views
from serving_api.desk.periods import Period
from serving_api.desk.rankings import views_gained
from serving_api.desk.view_charts import views_of
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.campaign_costs import CostOfCampaign
from serving_api.resources.analytics.series.schemas import AnalyticsQuery
from serving_api.resources.analytics.series.service import read_series

COMPARED = 2


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A figure of each campaign."""

    label: str
    values: Sequence[Value]
    unit: Unit = "count"
    exact: Sequence[float | None] = ()
    """The values before they were rounded, for their difference."""

    @property
    def difference(self) -> float | None:
        """The second value against the first, in percent; None if unknown or of 0.

        Of percentages in points, as rounded on the page.
        """
        first, second = self.exact or self.values
        if self.unit == "percent":
            return None if first is None or second is None else round(second, 1) - round(first, 1)
        return None if second is None or not first else 100 * (second - first) / first


@dataclass(frozen=True, slots=True)
class Comparison:
    branches: Sequence[Branch]
    rows: Sequence[ComparedRow]
    chart: Chart


def comparison_of(
    context: RequestContext, project_id: UUID, period: Period, branches: Sequence[Branch]
) -> Comparison | None:
    """Return the comparison of two campaigns, None for any other number."""
    if len(branches) != COMPARED:
        return None
    first, second = [
        views_of(context, "campaign", branch.campaign.id, period) for branch in branches
    ]
    names = [branch.campaign.name for branch in branches]
    lines = [
        Line(names[0], first.drawn(first.views), "area"),
        Line(names[1], second.drawn(second.views), "earlier"),
    ]
    return Comparison(
        branches,
        list(_rows(context, project_id, period, branches)),
        Chart("Views by day", first.days, lines, today=first.chart.today),
    )


def _rows(
    context: RequestContext, project_id: UUID, period: Period, branches: Sequence[Branch]
) -> Iterator[ComparedRow]:
    _, board = views_gained(context, project_id, period, "campaign", "engagement_rate_by_views")
    rates = {row.entity_id: row.value for row in board.rows}
    yield ComparedRow("Cost", [row.cost.whole_cents for row in branches], "cents")
    prices = [row.cost.whole_per_thousand_cents for row in branches]
    exact = [_price(row.cost) for row in branches]
    yield ComparedRow("Cost per 1,000 views", prices, "cents", exact)
    yield ComparedRow("Cost of posts", [row.cost.cost_cents for row in branches], "cents")
    yield ComparedRow(
        "Views gained", [row.gained.value if row.gained else None for row in branches]
    )
    yield ComparedRow("Posts", [_posts(context, row.campaign.id, period) for row in branches])
    yield ComparedRow("Engagement", [rates.get(row.campaign.id) for row in branches], "percent")
    yield ComparedRow("Creators", [row.creators for row in branches])


def _price(cost: CostOfCampaign) -> float | None:
    views = tracked_views(cost) or 0
    return cost.whole_cents / views if cost.whole_cents is not None and views > 0 else None


def _posts(context: RequestContext, campaign_id: UUID, period: Period) -> int | None:
    """Return how many counted posts were made in the period; None if unknown."""
    query = AnalyticsQuery.model_validate(
        {"entity": "campaign", "entity_id": campaign_id, "metric": "video_count", **period.span}
        | {"tz": context.marts_zone, "hide_auto": "1"}
    )
    [series] = read_series(context, query).data.series
    known = [point["value"] for point in series["points"] if point["value"] is not None]
    return int(sum(known)) if known else None
