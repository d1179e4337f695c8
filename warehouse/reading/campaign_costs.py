"""Costs and views of campaigns' posts, by day and creator."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.project_views import DailyViews
from warehouse.reading.statements import statement

EARNERS: Final = statement(__name__, "campaign_costs_earners.sql")
"""All creators who may have earned by the campaigns: theirs, past owners of their posts, and those
credited with a conversion or paid for a threshold of a post."""

EARNERS_AT_A_TIME = 1000
"""Creators computed together, which takes some 200 MB."""

# Publications of earlier versions compute all creators' costs, because they ignore the variables.
COSTS: Final = statement(__name__, "campaign_costs.sql")

VIEWS: Final = statement(__name__, "campaign_costs_views.sql")
"""Each view from before tracking is on a day with readings of the creator's posts."""

KNOWN_DAYS: Final = statement(__name__, "campaign_costs_known_days.sql")

CampaignDay = tuple[UUID, UUID | None, date]
NO_VIEWS_OF_DAY: tuple[int | None, int] = (None, 0)


@dataclass(frozen=True, slots=True)
class CostsQuery:
    """Campaigns and days of the publication, both inclusive; `by_creator` or summed by day."""

    organization_id: UUID
    campaign_ids: tuple[UUID, ...]
    from_day: date
    to_day: date
    currency: str
    by_creator: bool = True

    @property
    def whose(self) -> dict[str, object]:
        ids = ",".join(map(str, self.campaign_ids))
        return {"organization_id": self.organization_id, "ids": ids}

    @property
    def parameters(self) -> dict[str, object]:
        days = {"from_day": self.from_day, "to_day": self.to_day}
        return {**self.whose, **days, "by_creator": self.by_creator}


@dataclass(frozen=True, slots=True)
class CostOfDay:
    """A creator's costs and views on a day, by posts of the campaign. None: no creator, or all.

    Cents of the currency. `views` is None if no reading of the day's posts had them;
    `before_tracking` is the part from before tracking.
    """

    creator_id: UUID | None
    day: date
    cost_cents: int
    views: int | None
    before_tracking: int


@dataclass(frozen=True, slots=True)
class Costs:
    """The days with costs or views, in order, and all views by day.

    `without_post` is what the campaign's creators earned on no post, by type of rule.
    """

    rows: list[CostOfDay]
    views: DailyViews
    without_post: Mapping[str, int] = field(default_factory=dict)


def campaign_costs(cursor: DuckDBPyConnection, query: CostsQuery) -> dict[UUID, Costs]:
    """Return costs and views of each campaign's posts, as of the publication."""
    costs, without_post = costs_by_day(cursor, query)
    viewed = {
        (campaign_id, creator_id, day): (views, before)
        for campaign_id, creator_id, day, views, before in cursor.execute(
            VIEWS, query.parameters
        ).fetchall()
    }
    rows: dict[UUID, list[CostOfDay]] = {campaign_id: [] for campaign_id in query.campaign_ids}
    for key in sorted(costs.keys() | viewed.keys(), key=_day_order):
        campaign_id, creator_id, day = key
        views, before_tracking = viewed.get(key, NO_VIEWS_OF_DAY)
        rows[campaign_id].append(
            CostOfDay(creator_id, day, costs.get(key, 0), views, before_tracking)
        )
    known = cursor.execute(KNOWN_DAYS, query.whose).fetchall()
    known_days = {campaign_id: days for campaign_id, *days in known}
    return {
        campaign_id: Costs(
            days,
            DailyViews(*_by_day(days), *known_days.get(campaign_id, ())),
            without_post.get(campaign_id, {}),
        )
        for campaign_id, days in rows.items()
    }


def costs_by_day(
    cursor: DuckDBPyConnection, query: CostsQuery
) -> tuple[Mapping[CampaignDay, int], Mapping[UUID, Counter[str]]]:
    """Return each campaign's costs by day in cents, computing only creators it may have paid.

    Also what its creators (`campaign_creators`) earned without a post, by type of rule.
    """
    earners = [creator_id for (creator_id,) in cursor.execute(EARNERS, query.whose).fetchall()]
    parameters = {**query.parameters, "currency": query.currency}
    costs: Counter[CampaignDay] = Counter()
    without_post: defaultdict[UUID, Counter[str]] = defaultdict(Counter)
    try:
        cursor.execute("set variable costs_from = $day", {"day": query.from_day})
        for first in range(0, len(earners), EARNERS_AT_A_TIME):
            some = earners[first : first + EARNERS_AT_A_TIME]
            cursor.execute("set variable costs_of = $earners", {"earners": some})
            rows = cursor.execute(COSTS, {**parameters, "earners": some}).fetchall()
            for campaign_id, creator_id, day, cents, kind in rows:
                if kind is None:
                    costs[campaign_id, creator_id, day] += cents
                else:
                    without_post[campaign_id][kind] += cents
    finally:
        cursor.execute("reset variable costs_of")
        cursor.execute("reset variable costs_from")
    return costs, without_post


def _day_order(key: CampaignDay) -> tuple[date, bool, int]:
    _, creator_id, day = key
    return day, creator_id is None, creator_id.int if creator_id else 0


def _by_day(rows: list[CostOfDay]) -> tuple[dict[date, int], dict[date, int]]:
    views: dict[date, int] = {}
    before: dict[date, int] = {}
    for row in rows:
        if row.views is not None:
            views[row.day] = views.get(row.day, 0) + row.views
            before[row.day] = before.get(row.day, 0) + row.before_tracking
    return views, before
