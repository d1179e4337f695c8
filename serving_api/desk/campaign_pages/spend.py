"""From what a campaign's posts earned by day to the project's spend, the overview's figure."""

from collections.abc import Iterator, Mapping
from uuid import UUID

from serving_api.desk.periods import Period
from serving_api.desk.tiles import spend_of
from serving_api.errors import InvalidParams
from serving_api.kit.days import DayRangeQuery
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.campaign_costs import CampaignCosts, find_costs

WITHOUT_POST: Mapping[str, str] = {
    "recurring": "Retainers of their creators on days without views",
    "goals": "Goal bonuses of their creators on days without views",
    "conversion": "Commissions of their creators without a post",
}
REST = "Other posts and creators, and pay periods that end on other days"


def steps_to_spend(
    context: RequestContext, project_id: UUID, period: Period, costs: CampaignCosts
) -> Iterator[tuple[str, int]]:
    """Yield the parts of the project's spend, with labels; the last one is the spend."""
    if costs.cost_cents is None:
        return
    query = DayRangeQuery(**period.span)
    without_post = find_costs(context, costs.campaign_id, query, InvalidParams)[1].without_post
    spend = spend_of(context, project_id, period)
    parts = {label: without_post.get(kind, 0) for kind, label in WITHOUT_POST.items()}
    yield "Earned by posts of the campaign", costs.cost_cents
    yield from ((label, cents) for label, cents in parts.items() if cents)
    if rest := spend - costs.cost_cents - sum(parts.values()):
        yield REST, rest
    yield "Spend: pay periods that end in these days", spend
