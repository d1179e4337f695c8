"""Content of a campaign's page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from serving_api.desk.charts import ViewsChart, with_events
from serving_api.desk.periods import Period
from serving_api.desk.view_charts import Outlook, to_month_end, views_of
from serving_api.errors import NotFound
from serving_api.kit.days import DayRangeQuery
from serving_api.kit.pagination import PageQuery
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.campaign_costs import CostOfCampaign, costs_of_each
from serving_api.resources.analytics.leaderboards import repository as named
from serving_api.resources.analytics.leaderboards import service as leaderboards
from serving_api.resources.analytics.leaderboards.schemas import (
    CreatorBoardQuery,
    CreatorEntity,
    Place,
    VideoBoardQuery,
    VideoEntity,
)
from serving_api.resources.payouts.budgets import service as budgets
from serving_api.resources.payouts.budgets.schemas import BudgetDetail, BudgetQuery
from serving_api.resources.programs.campaigns import endpoints as membership
from serving_api.resources.programs.campaigns import service as campaigns
from serving_api.resources.programs.campaigns.schemas import CampaignDetail, CampaignItem, ItemType
from serving_api.resources.tracking.videos.presenter import NAMELESS

MOST = 10
"""Length of the rankings."""
MEMBERS = 50


@dataclass(frozen=True, slots=True)
class Member:
    """A direct member of a campaign, with its name."""

    item: CampaignItem
    name: str


@dataclass(frozen=True, slots=True)
class OneCampaign:
    """A campaign's page. `has_more`: it has more members than the latest listed."""

    campaign: CampaignDetail
    views: ViewsChart
    cost: CostOfCampaign
    outlook: Outlook | None
    budgets: Sequence[BudgetDetail]
    members: Sequence[Member]
    has_more: bool
    creators: Sequence[Place[CreatorEntity]]
    posts: Sequence[Place[VideoEntity]]

    @property
    def post_ids(self) -> list[UUID]:
        members = [member.item for member in self.members]
        listed = [item.item_id for item in members if item.item_type == "video"]
        return [*listed, *(post.entity.id for post in self.posts)]


def campaign_in(context: RequestContext, project_id: UUID, campaign_id: UUID) -> CampaignDetail:
    """Return a project's campaign. Raises NotFound."""
    campaign = campaigns.read_campaign(context, campaign_id)
    if campaign.project_id != project_id:
        raise NotFound.named("Campaign")
    return campaign


def one_campaign(
    context: RequestContext, project_id: UUID, campaign_id: UUID, period: Period
) -> OneCampaign:
    """Return the page of a project's campaign. Raises NotFound."""
    campaign = campaign_in(context, project_id, campaign_id)
    members = membership.list_items(context, campaign_id, PageQuery(limit=MEMBERS))
    scope: dict[str, Any] = {"campaign_id": campaign_id, "limit": MOST, **period.span}
    return OneCampaign(
        campaign=campaign,
        views=with_events(
            context,
            views_of(context, "campaign", campaign_id, period),
            "campaign",
            campaign_id,
            period,
        ),
        cost=costs_of_each(context, [campaign_id], DayRangeQuery(**period.span))[campaign_id],
        outlook=to_month_end(context, "campaign", campaign_id),
        budgets=budgets.read_page(context, BudgetQuery(campaign_id=campaign_id)).data,
        members=_named(context, members.data),
        has_more=members.meta.hasMore,
        creators=leaderboards.rank_creators(
            context, CreatorBoardQuery(**scope), while_tracked=True
        ).data,
        posts=leaderboards.rank_videos(context, VideoBoardQuery(**scope), while_tracked=True).data,
    )


FINDERS: Mapping[ItemType, leaderboards.Finder[Any]] = {
    "creator": named.creators,
    "video": named.videos,
    "campaign": named.campaigns,
}
UNNAMED = {
    "creator": "Creator without a name",
    "video": NAMELESS,
    "campaign": "Campaign",
}


def _named(context: RequestContext, items: Sequence[CampaignItem]) -> list[Member]:
    names: dict[UUID, str | None] = {}
    for kind, find in FINDERS.items():
        ids = [item.item_id for item in items if item.item_type == kind]
        labels = find(context.session, context.organization_id, ids)
        names |= {label.id: label.label for label in labels.values()}
    return [Member(item, names.get(item.item_id) or UNNAMED[item.item_type]) for item in items]
