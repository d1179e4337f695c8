"""What a campaign costs: earned by its posts, and by its creators without a post."""

from collections import Counter
from collections.abc import Iterator, Mapping

from serving_api.desk.campaign_pages.tree import BY_POSTS, tracked_views
from serving_api.desk.periods import Period
from serving_api.desk.tiles import Tile
from serving_api.errors import InvalidParams
from serving_api.kit.days import DayRangeQuery
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.campaign_costs import CampaignCosts, CostOfCampaign, find_costs
from serving_api.resources.payouts.accruals.summary import page_dollars

WHOLE = "Cost of this campaign"
WITHOUT_POST: Mapping[str, str] = {
    "recurring": "Retainers and bonuses of its creators on days without views",
    "goals": "Goal bonuses of its creators on days without views",
    "conversion": "Commissions of its creators without a post",
}
OTHER = "Other pay of its creators without a post"


def cost_figures(cost: CostOfCampaign, path: str) -> Iterator[Tile]:
    """Yield the campaign's own figures of cost, which the page at `path` explains."""
    hint = "Its posts, and its creators without a post"
    yield Tile(WHOLE, cost.whole_cents, "cents", path, hint=hint)
    price = cost.whole_per_thousand_cents
    yield Tile("Cost per 1,000 views", price, "cents", path, hint="Views gained while tracked")
    by_posts = cost.cost_per_thousand_cents
    hint = "" if by_posts is None else f"{page_dollars(by_posts)} per 1,000 views"
    yield Tile(BY_POSTS, cost.cost_cents, "cents", path, hint=hint)


def views_gained(cost: CostOfCampaign) -> Tile:
    before = cost.views_before_tracking
    hint = f"and {before:,} from before tracking" if before else ""
    return Tile("Views gained", tracked_views(cost), "count", "", hint=hint)


def parts_of_cost(
    context: RequestContext, period: Period, costs: CampaignCosts
) -> Iterator[tuple[str, int]]:
    """Yield the parts of the campaign's cost, with labels; the last one is the cost."""
    if costs.cost_cents is None or costs.whole_cents is None:
        return
    query = DayRangeQuery(**period.span)
    without_post = find_costs(context, costs.campaign_id, query, InvalidParams)[1].without_post
    parts: Counter[str] = Counter(dict.fromkeys(WITHOUT_POST.values(), 0))
    for kind, cents in without_post.items():
        parts[WITHOUT_POST.get(kind, OTHER)] += cents
    yield BY_POSTS, costs.cost_cents
    yield from ((label, cents) for label, cents in parts.items() if cents)
    yield WHOLE, costs.whole_cents
