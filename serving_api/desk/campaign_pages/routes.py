"""`/desk/projects/{project_id}/campaigns`: the tree, one campaign, and its costs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Query, Request, Response

from serving_api.charts.chart import Chart, Line
from serving_api.desk.campaign_pages.comparison import comparison_of
from serving_api.desk.campaign_pages.content import campaign_in, one_campaign
from serving_api.desk.campaign_pages.spend import cost_figures, parts_of_cost, views_gained
from serving_api.desk.campaign_pages.tree import (
    BY_POSTS,
    CAMPAIGN_COLUMNS,
    CREATOR_COSTS,
    ON_A_PAGE,
    tree_of,
)
from serving_api.desk.charts import ViewsChart
from serving_api.desk.entry import desk_router
from serving_api.desk.once import Reader
from serving_api.desk.periods import PeriodSent, period_of
from serving_api.desk.post_pages.rows import pictures_of, sources_of
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.desk.sessions import PATH
from serving_api.desk.sorting import MOST_IN_FILE, SortedTable, is_file, page_or_file
from serving_api.desk.tiles import cost_tiles, spend_of
from serving_api.desk.view_charts import views_of
from serving_api.kit.days import DayRangeQuery, today_in
from serving_api.resources.analytics.campaign_costs import MOST_CREATORS, CampaignCosts, read_costs
from serving_api.resources.programs.campaigns.schemas import CampaignQuery


def cost_charts(costs: CampaignCosts, views: ViewsChart) -> Iterator[Chart]:
    """Yield what posts earned by day, in the table with views gained while tracked, and prices."""
    days = [day.day for day in costs.days]
    today = costs.as_of and today_in(costs.timezone, costs.as_of)
    earned = Line(BY_POSTS, [day.cost_cents for day in costs.days], "bars", "cents")
    lines = [earned, Line("Views gained", views.drawn(views.views), "aside")]
    yield Chart("Daily earnings of its posts", days, lines, today=today)
    prices = [day.cost_per_thousand_cents for day in costs.days]
    price = Line("Per 1,000 views", prices, unit="cents")
    yield Chart("Daily earnings per 1,000 views", days, [price], today=today)


CAMPAIGNS = f"{PATH}/projects/{{project_id}}/campaigns"

router = desk_router()


@router.get(CAMPAIGNS, dependencies=[views])
def show_campaigns(
    *,
    request: Request,
    context: Reader,
    project_id: UUID,
    sent: PeriodSent,
    cursor: str | None = None,
    compare: Annotated[Sequence[UUID], Query()] = (),
    compares: bool = False,
) -> Response:
    """Show campaigns with their nested campaigns, and two of them side by side."""
    period = period_of(context, sent)
    query = CampaignQuery(project_id=project_id, cursor=cursor, limit=ON_A_PAGE)
    tree = tree_of(context, project_id, period, page_or_file(request, query))
    table = SortedTable(request, CAMPAIGN_COLUMNS, tree.branches)
    if table.sort or table.is_file:
        table = replace(table, given=tree.distinct)
    if table.is_file:
        return table.file("campaigns")
    chosen = [branch for branch in tree.distinct if branch.campaign.id in compare]
    return project_page(
        request,
        "desk_campaigns.html",
        "Campaigns",
        tree=tree,
        totals=cost_tiles(context, project_id, period),
        table=table,
        cursor=cursor,
        period=period,
        compare=compare,
        carried=[("compare", campaign_id) for campaign_id in compare],
        draws_charts=True,
        compared=comparison_of(context, project_id, period, chosen),
        compares=compares or compare,
    )


@router.get(f"{CAMPAIGNS}/{{campaign_id}}/costs", dependencies=[views])
def show_campaign_costs(
    request: Request, context: Reader, project_id: UUID, campaign_id: UUID, sent: PeriodSent
) -> Response:
    """Show what a campaign costs in the period, in total, by part and per 1,000 views."""
    period = period_of(context, sent)
    campaign = campaign_in(context, project_id, campaign_id)
    limit = MOST_IN_FILE if is_file(request) else MOST_CREATORS
    costs = read_costs(context, campaign_id, DayRangeQuery(**period.span), limit)
    creators = SortedTable(request, CREATOR_COSTS, costs.creators)
    if creators.is_file:
        return creators.file("campaign-costs")
    return project_page(
        request,
        "desk_campaign_costs.html",
        "Campaigns",
        draws_charts=True,
        period=period,
        campaign=campaign,
        costs=costs,
        creators=creators,
        figures=[*cost_figures(costs, ""), views_gained(costs)],
        parts=list(parts_of_cost(context, period, costs)),
        spend=spend_of(context, project_id, period),
        charts=list(cost_charts(costs, views_of(context, "campaign", campaign_id, period))),
        zone=ZoneInfo(context.marts_zone),
    )


@router.get(f"{CAMPAIGNS}/{{campaign_id}}", dependencies=[views])
def show_campaign(
    request: Request, context: Reader, project_id: UUID, campaign_id: UUID, sent: PeriodSent
) -> Response:
    period = period_of(context, sent)
    content = one_campaign(context, project_id, campaign_id, period)
    return project_page(
        request,
        "desk_campaign.html",
        "Campaigns",
        shows_pictures=True,
        draws_charts=True,
        period=period,
        content=content,
        costs=list(cost_figures(content.cost, f"/campaigns/{campaign_id}/costs{period.suffix}")),
        pictures=pictures_of(context, content.post_ids),
        sources=sources_of(context, content.post_ids),
    )
