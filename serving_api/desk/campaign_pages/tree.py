"""The campaign tree, nested below their parent, and sort columns of campaigns and their costs."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import func, select

from serving_api.desk.periods import Period
from serving_api.desk.rankings import views_gained
from serving_api.desk.sorting import Column
from serving_api.kit.days import DayRangeQuery
from serving_api.kit.pagination import among
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.campaign_costs import (
    Cost,
    CostOfCampaign,
    CostOfCreator,
    costs_of_each,
)
from serving_api.resources.analytics.leaderboards import repository, service
from serving_api.resources.analytics.leaderboards.schemas import CreatorEntity, Place
from serving_api.resources.payouts.accruals.summary import dollars
from serving_api.resources.programs.campaigns import repository as items
from serving_api.resources.programs.campaigns import service as campaigns
from serving_api.resources.programs.campaigns.schemas import Campaign, CampaignQuery
from warehouse.operational.models import CampaignItem, PayoutBudget

BY_POSTS = "Cost of its posts"
ON_A_PAGE = 100
DEEPEST = 4
"""Levels that are indented differently."""

Members = Mapping[UUID, Sequence[UUID]]


@dataclass(frozen=True, slots=True)
class Branch:
    """A campaign, its depth, views gained and costs in the period, creators, budgets."""

    campaign: Campaign
    depth: int
    gained: Place[CreatorEntity] | None
    cost: CostOfCampaign
    creators: int
    budgets: Sequence[str]


@dataclass(frozen=True, slots=True)
class Tree:
    """A page of campaigns, and the next page's cursor."""

    branches: Sequence[Branch]
    cursor: str | None

    @property
    def distinct(self) -> list[Branch]:
        """Each campaign once, for lists without depth."""
        return list({branch.campaign.id: branch for branch in self.branches}.values())

    @property
    def most(self) -> float | None:
        """The largest views gained, or None if none is known."""
        values = [branch.gained.value for branch in self.branches if branch.gained]
        return max((value for value in values if value is not None), default=None)


def tree_of(
    context: RequestContext, project_id: UUID, period: Period, query: CampaignQuery
) -> Tree:
    """Return a page of the project's campaigns, newest first. Raises InvalidCursor.

    A campaign whose parents are all on other pages is at the top level.
    """
    page = campaigns.list_campaigns(context, query)
    listed = {campaign.id: campaign for campaign in page.data}
    gained = _gained(context, project_id, period)
    costs = costs_of_each(context, list(listed), DayRangeQuery(**period.span))
    creators, budgets = _creators(context, listed), _budgets(context, listed)
    branches = [
        Branch(
            campaign=listed[campaign_id],
            depth=min(depth, DEEPEST),
            gained=gained.get(campaign_id),
            cost=costs[campaign_id],
            creators=creators.get(campaign_id, 0),
            budgets=budgets.get(campaign_id, ()),
        )
        for campaign_id, depth in _in_order(list(listed), _members(context, listed))
    ]
    return Tree(branches, page.meta.nextCursor)


def _members(context: RequestContext, listed: Mapping[UUID, Campaign]) -> Members:
    members: dict[UUID, list[UUID]] = defaultdict(list)
    for outer, inner in items.campaigns_in(context.session, context.organization_id, list(listed)):
        if inner in listed:
            members[outer].append(inner)
    return members


def _creators(context: RequestContext, ids: Collection[UUID]) -> Mapping[UUID, int]:
    """Return how many creators are members of campaigns, or of campaigns below them."""
    below = items.with_those_below(context.organization_id, ids)
    counted = (
        select(below.c.top, func.count(CampaignItem.creator_id.distinct()).label("creators"))
        .join(CampaignItem, CampaignItem.campaign_id == below.c.id)
        .where(CampaignItem.organization_id == context.organization_id)
        .group_by(below.c.top)
    )
    return {row.top: row.creators for row in context.session.execute(counted)}


def _budgets(context: RequestContext, ids: Collection[UUID]) -> Mapping[UUID, Sequence[str]]:
    """Return in words what campaigns may spend, in all and in a month."""
    summed = (
        select(
            PayoutBudget.campaign_id,
            PayoutBudget.period,
            func.sum(PayoutBudget.amount_cents).label("cents"),
        )
        .where(
            PayoutBudget.organization_id == context.organization_id,
            among(PayoutBudget.campaign_id, ids),
        )
        .group_by(PayoutBudget.campaign_id, PayoutBudget.period)
    )
    words: dict[UUID, list[str]] = defaultdict(list)
    for row in sorted(context.session.execute(summed), key=lambda row: row.period or ""):
        if row.campaign_id:
            words[row.campaign_id].append(dollars(row.cents) + (" a month" if row.period else ""))
    return words


def _in_order(listed: Sequence[UUID], members: Members) -> Iterator[tuple[UUID, int]]:
    """Yield each campaign with its depth, once below each direct parent.

    Its own nested campaigns follow only its first occurrence.
    """
    inner = {campaign_id for inside in members.values() for campaign_id in inside}
    waiting = [(campaign_id, 0) for campaign_id in reversed(listed) if campaign_id not in inner]
    placed_ids = set()
    while waiting:
        campaign_id, depth = waiting.pop()
        yield campaign_id, depth
        if campaign_id not in placed_ids:
            placed_ids.add(campaign_id)
            waiting += [(each, depth + 1) for each in reversed(members.get(campaign_id, ()))]


def _gained(
    context: RequestContext, project_id: UUID, period: Period
) -> Mapping[UUID, Place[CreatorEntity]]:
    window, board = views_gained(context, project_id, period, "campaign")
    entries = service.present(context, window, board, repository.campaigns)
    return {entry.entity.id: entry for entry in entries}


CAMPAIGN_COLUMNS: Final[tuple[Column[Branch], ...]] = (
    Column("id", None, lambda branch: branch.campaign.id),
    Column("name", "Campaign", lambda branch: branch.campaign.name),
    Column(
        "gained",
        "Views gained",
        lambda branch: branch.gained.value if branch.gained else None,
        is_number=True,
    ),
    Column(
        "change_pct",
        "Change",
        lambda branch: branch.gained.change_pct if branch.gained else None,
        is_number=True,
    ),
    Column("cost_cents", "Cost", lambda branch: branch.cost.whole_cents, is_number=True),
    Column(
        "cost_per_thousand_cents",
        "Per 1,000 views",
        lambda branch: branch.cost.whole_per_thousand_cents,
        is_number=True,
    ),
    Column("earned_cents", "Cost of posts", lambda branch: branch.cost.cost_cents, is_number=True),
)


def tracked_views(cost: Cost) -> int | None:
    return None if cost.views is None else cost.views - (cost.views_before_tracking or 0)


CREATOR_COSTS: Final[tuple[Column[CostOfCreator], ...]] = (
    Column("id", None, lambda cost: cost.creator.id if cost.creator else None),
    Column("creator", "Creator", lambda cost: cost.creator.label if cost.creator else None),
    Column("earned_cents", BY_POSTS, lambda cost: cost.cost_cents, is_number=True),
    Column("views", "Views gained", tracked_views, is_number=True),
    Column(
        "per_thousand_cents",
        "Per 1,000 views",
        lambda cost: cost.cost_per_thousand_cents,
        is_number=True,
    ),
)
