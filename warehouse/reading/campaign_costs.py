"""What the posts of a campaign cost and gained in views, by day and creator."""

from dataclasses import dataclass
from datetime import date
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.project_views import DailyViews

EARNERS = """
    with

    members as (
        select
            video_id,
            creator_id
        from marts.campaign_videos
        where organization_id = $organization_id and campaign_id = $campaign_id
    ),

    earners as (
        select creator_id
        from members
        union
        select owners.creator_id
        from machinery.video_past_owners as owners
        semi join members using (video_id)
        union
        select conversions.creator_id
        from marts.conversions as conversions
        semi join members using (video_id)
        where conversions.organization_id = $organization_id
        union
        select decided.creator_id
        from machinery.payout_decided_accruals as decided
        semi join members on decided.subject_id = members.video_id
        where decided.organization_id = $organization_id
    )

    select creator_id
    from earners
    where creator_id is not null
    order by creator_id
"""
"""All who may have earned by the campaign's posts: theirs now or before, credited with a conversion
by one, or paid for a threshold that one reached, whatever is known of its owners since."""

EARNERS_AT_A_TIME = 1000
"""Whose costs are worked out together, which takes some 200 MB."""

# Publications of earlier versions work out everybody's costs: they know of no variables.
COSTS = """
    select
        creator_id,
        day,
        rules.bounded_cents(sum(cost_cents)) as cost_cents
    from marts.campaign_costs
    where
        organization_id = $organization_id
        and campaign_id = $campaign_id
        and currency = $currency
        and day >= $from_day
        and day <= $to_day
        and list_contains($earners, creator_id)
    group by creator_id, day
"""

GAINED = """
    select
        creator_id,
        day,
        new_views
    from marts.campaign_creator_daily
    where
        organization_id = $organization_id
        and campaign_id = $campaign_id
        and day >= $from_day
        and day <= $to_day
"""

KNOWN_DAYS = """
    select
        min(days.day) as first_day,
        any_value(cast(timezone(organizations.analytics_tz, publication.as_of) as date)) as last_day
    from marts.campaign_daily as days
    inner join marts.organizations as organizations using (organization_id)
    cross join marts.publication as publication
    where
        days.organization_id = $organization_id
        and days.campaign_id = $campaign_id
        and days.new_views is not null
"""

CreatorDay = tuple[UUID | None, date]


@dataclass(frozen=True, slots=True)
class CostsQuery:
    """Which campaign, and on which days of the publication, both inclusive."""

    organization_id: UUID
    campaign_id: UUID
    from_day: date
    to_day: date
    currency: str

    @property
    def whose(self) -> dict[str, object]:
        """Return what tells the campaign."""
        return {"organization_id": self.organization_id, "campaign_id": self.campaign_id}

    @property
    def days(self) -> dict[str, object]:
        """Return what tells the days."""
        return {"from_day": self.from_day, "to_day": self.to_day}


@dataclass(frozen=True, slots=True)
class CostOfDay:
    """What a creator (None: nobody) earned on a day by posts of the campaign, and their views.

    Cents of the currency; views None where no reading of the day's posts knew them.
    """

    creator_id: UUID | None
    day: date
    cost_cents: int
    views: int | None


@dataclass(frozen=True, slots=True)
class CostsFound:
    """The days on which something was earned or gained, in order, and all views by day."""

    rows: list[CostOfDay]
    views: DailyViews


def campaign_costs(cursor: DuckDBPyConnection, query: CostsQuery) -> CostsFound:
    """Return what the campaign's posts cost and gained, as of the publication."""
    costs = costs_by_day(cursor, query)
    rows = cursor.execute(GAINED, {**query.whose, **query.days}).fetchall()
    gained = {(creator_id, day): views for creator_id, day, views in rows}
    found = [
        CostOfDay(creator_id, day, costs.get((creator_id, day), 0), gained.get((creator_id, day)))
        for creator_id, day in sorted(costs.keys() | gained.keys(), key=_place)
    ]
    known = cursor.execute(KNOWN_DAYS, query.whose).fetchone()
    return CostsFound(found, DailyViews(_by_day(found), *(known or ())))


def costs_by_day(cursor: DuckDBPyConnection, query: CostsQuery) -> dict[CreatorDay, int]:
    """Return what each creator earned on each day, in cents; nobody else's costs are worked out."""
    earners = [creator_id for (creator_id,) in cursor.execute(EARNERS, query.whose).fetchall()]
    asked = {**query.whose, **query.days, "currency": query.currency}
    costs: dict[CreatorDay, int] = {}
    try:
        cursor.execute("set variable costs_from = $day", {"day": query.from_day})
        for first in range(0, len(earners), EARNERS_AT_A_TIME):
            some = earners[first : first + EARNERS_AT_A_TIME]
            cursor.execute("set variable costs_of = $earners", {"earners": some})
            rows = cursor.execute(COSTS, {**asked, "earners": some}).fetchall()
            costs |= {(creator_id, day): cents for creator_id, day, cents in rows}
    finally:
        cursor.execute("reset variable costs_of")
        cursor.execute("reset variable costs_from")
    return costs


def _place(creator_day: CreatorDay) -> tuple[date, bool, int]:
    creator_id, day = creator_day
    return day, creator_id is None, creator_id.int if creator_id else 0


def _by_day(rows: list[CostOfDay]) -> dict[date, int]:
    views: dict[date, int] = {}
    for row in rows:
        if row.views is not None:
            views[row.day] = views.get(row.day, 0) + row.views
    return views
