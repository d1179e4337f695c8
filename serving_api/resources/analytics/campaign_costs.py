"""`/campaigns/{campaign_id}/costs`: the cost of a campaign, in total and per 1,000 views."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.auth.dependencies import Reader
from serving_api.errors import InvalidParams, NamesFields, RetentionExceeded
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.days import ONE_DAY, DayRange, DayRangeQuery, today_in
from serving_api.kit.envelope import Envelope
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.analytics.leaderboards import repository as named
from serving_api.resources.analytics.leaderboards.schemas import CreatorEntity
from serving_api.resources.analytics.leaderboards.service import window_of
from serving_api.resources.analytics.project_views import FROM_BEFORE
from serving_api.resources.analytics.series.service import ParamsRoute
from serving_api.resources.payouts.structures.rules import CURRENCY
from serving_api.resources.programs.campaigns import repository as campaigns
from warehouse.amounts import bounded_cents
from warehouse.reading.campaign_costs import CostOfDay, Costs, CostsQuery, campaign_costs
from warehouse.reading.project_views import NO_VIEWS

MOST_CREATORS = 100
NOTHING = Costs([], NO_VIEWS)


class Cost(BaseModel):
    """The cost and views of posts. Null means unknown, never 0."""

    cost_cents: int | None = Field(
        description="What the posts earned, paid or not, without void amounts. Null for days after"
        " `as_of`"
    )
    views: int | None = Field(description="New views, as in series. Negative if counts fell")
    views_before_tracking: int | None = Field(description=FROM_BEFORE)
    cost_per_thousand_cents: int | None = Field(
        description="Cost per 1,000 views gained while tracked (`views` minus"
        " `views_before_tracking`), to the cent. Null if these are unknown or not above 0"
    )


class CostOfCreator(Cost):
    """A creator's earnings from the campaign's posts, and the views of posts it owns."""

    creator: CreatorEntity | None = Field(description="Null: posts without an owner")


class DayOfCosts(Cost):
    """Costs of a day."""

    day: date


class CostOfCampaign(Cost):
    """The cost of a campaign's posts, and what its creators cost beside them."""

    without_post_cents: int | None = Field(
        description="What the campaign's creators earned on these days on no post, such as"
        " retainers on days without views. The campaign's whole cost is `cost_cents` plus this"
    )

    @property
    def whole_cents(self) -> int | None:
        if self.cost_cents is None:
            return None
        return bounded_cents(self.cost_cents + (self.without_post_cents or 0))

    @property
    def whole_per_thousand_cents(self) -> int | None:
        return per_thousand(self.whole_cents, self.views, self.views_before_tracking)


class CampaignCosts(CostOfCampaign):
    """The costs of a campaign's posts on days in `timezone`: in total, by creator and by day."""

    campaign_id: UUID
    currency: str
    timezone: str
    as_of: datetime | None = Field(
        description="`as_of` of the publication. Its day is still in progress"
    )
    creators: list[CostOfCreator] = Field(
        description=f"Highest earnings first, at most {MOST_CREATORS}. The export has all"
    )
    creators_total: int
    days: list[DayOfCosts]


def read_costs(
    context: RequestContext, campaign_id: UUID, query: DayRangeQuery, limit: int = MOST_CREATORS
) -> CampaignCosts:
    """Return a campaign's costs, with at most `limit` creators.

    Raises InvalidParams, NotFound and RetentionExceeded.
    """
    days, costs, as_of = find_costs(context, campaign_id, query, InvalidParams)
    by_creator: dict[UUID | None, list[CostOfDay]] = defaultdict(list)
    for row in costs.rows:
        by_creator[row.creator_id].append(row)
    by_day: dict[date, list[CostOfDay]] = defaultdict(list)
    for row in costs.rows:
        by_day[row.day].append(row)
    last_day = _last_day(days, as_of)
    return CampaignCosts(
        campaign_id=campaign_id,
        currency=CURRENCY,
        timezone=days.zone,
        as_of=as_of,
        **_total(days, costs, as_of),
        creators=_creators(context, by_creator, limit),
        creators_total=len(by_creator),
        days=[
            DayOfCosts(day=day, **_cost(by_day[day], [views], is_known=day <= last_day))
            for day, views in _views(days, costs)
        ],
    )


def _total(days: DayRange, costs: Costs, as_of: datetime | None) -> dict[str, Any]:
    views = [views for _, views in _views(days, costs)]
    is_known = days.from_day <= _last_day(days, as_of)
    without_post = bounded_cents(sum(costs.without_post.values())) if is_known else None
    return {**_cost(costs.rows, views, is_known=is_known), "without_post_cents": without_post}


def _views(days: DayRange, costs: Costs) -> Iterator[tuple[date, tuple[int | None, int | None]]]:
    for day in (days.from_day + number * ONE_DAY for number in range(days.days)):
        yield day, (costs.views.on(day), costs.views.before_on(day))


def _last_day(days: DayRange, as_of: datetime | None) -> date:
    return today_in(days.zone, as_of) if as_of else date.min


def find_costs(
    context: RequestContext, campaign_id: UUID, query: DayRangeQuery, refusal: type[NamesFields]
) -> tuple[DayRange, Costs, datetime | None]:
    """Return the requested days, their costs, and the publication's `as_of`.

    Raises `refusal`, NotFound and RetentionExceeded.
    """
    days = window_of(context, query, refusal=refusal).days
    campaigns.require_in(context.session, context.organization_id, None, campaign_id)
    costs, as_of = _costs(context, [campaign_id], days)
    return days, costs[campaign_id], as_of


def costs_of_each(
    context: RequestContext, campaign_ids: Sequence[UUID], query: DayRangeQuery
) -> dict[UUID, CostOfCampaign]:
    """Return the totals of `read_costs` of each campaign, by one reading.

    Raises InvalidParams and RetentionExceeded.
    """
    days = window_of(context, query, refusal=InvalidParams).days
    if not campaign_ids:
        return {}
    costs, as_of = _costs(context, campaign_ids, days, by_creator=False)
    return {
        campaign_id: CostOfCampaign(**_total(days, costs[campaign_id], as_of))
        for campaign_id in campaign_ids
    }


def _costs(
    context: RequestContext,
    campaign_ids: Sequence[UUID],
    days: DayRange,
    *,
    by_creator: bool = True,
) -> tuple[Mapping[UUID, Costs], datetime | None]:
    whose = (context.organization_id, tuple(campaign_ids))
    query = CostsQuery(*whose, days.from_day, days.to_day, CURRENCY, by_creator)
    answer = context.marts.cached(
        campaign_costs, query, lambda costs: sum(len(each.rows) for each in costs.values())
    )
    return (answer[0], answer[1].as_of) if answer else (dict.fromkeys(campaign_ids, NOTHING), None)


def _creators(
    context: RequestContext, by_creator: dict[UUID | None, list[CostOfDay]], limit: int
) -> list[CostOfCreator]:
    costs = {
        creator_id: sum(row.cost_cents for row in rows) for creator_id, rows in by_creator.items()
    }
    first = sorted(by_creator, key=lambda creator_id: (-costs[creator_id], str(creator_id)))[:limit]
    ids = [creator_id for creator_id in first if creator_id is not None]
    entities = named.creators(context.session, context.organization_id, ids)
    return [
        CostOfCreator(
            creator=entities.get(creator_id, CreatorEntity(id=creator_id, label=None))
            if creator_id
            else None,
            **_cost(
                by_creator[creator_id],
                [(row.views, row.before_tracking) for row in by_creator[creator_id]],
                is_known=True,
            ),
        )
        for creator_id in first
    ]


def _cost(
    rows: Sequence[CostOfDay], days: Iterable[tuple[int | None, int | None]], *, is_known: bool
) -> dict[str, Any]:
    """Return the cost of rows, from each day's views and the part from before tracking."""
    known = [(new, before or 0) for new, before in days if new is not None]
    new, before = (sum(counts) for counts in zip(*known, strict=True)) if known else (None, None)
    cents = bounded_cents(sum(row.cost_cents for row in rows)) if is_known else None
    return {
        "cost_cents": cents,
        "views": new,
        "views_before_tracking": before,
        "cost_per_thousand_cents": per_thousand(cents, new, before),
    }


def per_thousand(cents: int | None, new: int | None, before: int | None) -> int | None:
    """Return the cents of 1,000 views gained while tracked, None if unknown."""
    if cents is None or new is None or (views := new - (before or 0)) <= 0:
        return None
    return int((Decimal(cents * 1000) / views).quantize(Decimal(1), ROUND_HALF_UP))


router = keyed_router("campaigns", ParamsRoute)


@router.get("/campaigns/{campaign_id}/costs", responses=answers(RetentionExceeded))
def get_campaign_costs(
    *, context: Reader, campaign_id: UUID, query: Params[DayRangeQuery]
) -> Envelope[CampaignCosts]:
    """Return the cost of a campaign's posts, and its cost per 1,000 views.

    Costs are what the posts that the campaign counts earned on these days: by creator, and by day
    with the day's views. Amounts without a post, such as retainers on days without views, are in
    `without_post_cents` alone. Cost per 1,000 views uses views gained while tracked. Days are in
    the organization's timezone; `to` is at most today.
    """
    return Envelope(data=read_costs(context, campaign_id, query))
