"""Costs and views of a campaign's posts, by day and creator."""

from dataclasses import dataclass
from datetime import date
from typing import Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.project_views import DailyViews
from warehouse.reading.statements import statement

EARNERS: Final = statement(__name__, "campaign_costs_earners.sql")
"""All creators who may have earned by the campaign's posts: present and past owners, and those
credited with a conversion or paid for a threshold of a post."""

EARNERS_AT_A_TIME = 1000
"""Creators computed together, which takes some 200 MB."""

# Publications of earlier versions compute all creators' costs, because they ignore the variables.
COSTS: Final = statement(__name__, "campaign_costs.sql")

VIEWS: Final = statement(__name__, "campaign_costs_views.sql")
"""Each view from before tracking is on a day with readings of the creator's posts."""

KNOWN_DAYS: Final = statement(__name__, "campaign_costs_known_days.sql")

CreatorDay = tuple[UUID | None, date]
NO_VIEWS_OF_DAY: tuple[int | None, int] = (None, 0)


@dataclass(frozen=True, slots=True)
class CostsQuery:
    """A campaign and days of the publication, both inclusive."""

    organization_id: UUID
    campaign_id: UUID
    from_day: date
    to_day: date
    currency: str

    @property
    def whose(self) -> dict[str, object]:
        return {"organization_id": self.organization_id, "campaign_id": self.campaign_id}

    @property
    def days(self) -> dict[str, object]:
        return {"from_day": self.from_day, "to_day": self.to_day}


@dataclass(frozen=True, slots=True)
class CostOfDay:
    """A creator's costs and views on a day, by posts of the campaign. None: no creator.

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
    """The days with costs or views, in order, and all views by day."""

    rows: list[CostOfDay]
    views: DailyViews


def campaign_costs(cursor: DuckDBPyConnection, query: CostsQuery) -> Costs:
    """Return costs and views of the campaign's posts, as of the publication."""
    costs = costs_by_day(cursor, query)
    rows = cursor.execute(VIEWS, {**query.whose, **query.days}).fetchall()
    viewed = {(creator_id, day): (views, before) for creator_id, day, views, before in rows}
    costs_of_days = []
    for creator_day in sorted(costs.keys() | viewed.keys(), key=_day_order):
        creator_id, day = creator_day
        views, before_tracking = viewed.get(creator_day, NO_VIEWS_OF_DAY)
        costs_of_days.append(
            CostOfDay(creator_id, day, costs.get(creator_day, 0), views, before_tracking)
        )
    row = cursor.execute(KNOWN_DAYS, query.whose).fetchone()
    return Costs(costs_of_days, DailyViews(*_by_day(costs_of_days), *(row or ())))


def costs_by_day(cursor: DuckDBPyConnection, query: CostsQuery) -> dict[CreatorDay, int]:
    """Return each creator's costs by day, in cents, computing no other creators'."""
    earners = [creator_id for (creator_id,) in cursor.execute(EARNERS, query.whose).fetchall()]
    parameters = {**query.whose, **query.days, "currency": query.currency}
    costs: dict[CreatorDay, int] = {}
    try:
        cursor.execute("set variable costs_from = $day", {"day": query.from_day})
        for first in range(0, len(earners), EARNERS_AT_A_TIME):
            some = earners[first : first + EARNERS_AT_A_TIME]
            cursor.execute("set variable costs_of = $earners", {"earners": some})
            rows = cursor.execute(COSTS, {**parameters, "earners": some}).fetchall()
            costs |= {(creator_id, day): cents for creator_id, day, cents in rows}
    finally:
        cursor.execute("reset variable costs_of")
        cursor.execute("reset variable costs_from")
    return costs


def _day_order(creator_day: CreatorDay) -> tuple[date, bool, int]:
    creator_id, day = creator_day
    return day, creator_id is None, creator_id.int if creator_id else 0


def _by_day(rows: list[CostOfDay]) -> tuple[dict[date, int], dict[date, int]]:
    views: dict[date, int] = {}
    before: dict[date, int] = {}
    for row in rows:
        if row.views is not None:
            views[row.day] = views.get(row.day, 0) + row.views
            before[row.day] = before.get(row.day, 0) + row.before_tracking
    return views, before
