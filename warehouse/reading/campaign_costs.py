"""What the posts of a campaign cost and gained in views, by day and creator."""

from dataclasses import dataclass
from datetime import date
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.project_views import DailyViews

COSTS = """
    with

    costs as (
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
        group by creator_id, day
    ),

    gained as (
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
    )

    select
        coalesce(costs.creator_id, gained.creator_id) as creator_id,
        coalesce(costs.day, gained.day) as day,
        coalesce(costs.cost_cents, 0) as cost_cents,
        gained.new_views as views
    from costs
    full join gained on costs.creator_id = gained.creator_id and costs.day = gained.day
    order by day, creator_id
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


@dataclass(frozen=True, slots=True)
class CostsQuery:
    """Which campaign, and on which days of the publication, both inclusive."""

    organization_id: UUID
    campaign_id: UUID
    from_day: date
    to_day: date
    currency: str


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
    whose: dict[str, object] = {
        "organization_id": query.organization_id,
        "campaign_id": query.campaign_id,
    }
    days = {"from_day": query.from_day, "to_day": query.to_day, "currency": query.currency}
    found = cursor.execute(COSTS, {**whose, **days}).fetchall()
    known = cursor.execute(KNOWN_DAYS, whose).fetchone()
    rows = [CostOfDay(*row) for row in found]
    gained: dict[date, int] = {}
    for row in rows:
        if row.views is not None:
            gained[row.day] = gained.get(row.day, 0) + row.views
    return CostsFound(rows, DailyViews(gained, *(known or ())))
