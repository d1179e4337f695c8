"""Views from before tracking by day, which pages show apart from views gained (counting.md)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.zones import start_of

Tracked = Literal["project", "creator", "campaign", "video"]

BY_DAY = """
    select
        cast(timezone($zone, view_first_captured_at) as date) as day,
        cast(sum(view_before_tracking) as bigint) as views
    from marts.videos
    where
        organization_id = $organization_id
        and {is_among}
        and view_before_tracking > 0
        and view_first_captured_at >= $from_at
        and view_first_captured_at < $until_at
    group by day
"""

KNOWN_FROM = """
    select cast(min(timezone($zone, view_first_captured_at)) as date)
    from marts.videos
    where organization_id = $organization_id and {is_among}
"""

IS_AMONG: Mapping[Tracked, str] = {
    "project": "project_id = $entity_id and is_counted",
    "creator": "creator_id = $entity_id and is_counted",
    "campaign": """video_id in (
            select video_id
            from marts.campaign_videos
            where organization_id = $organization_id and campaign_id = $entity_id
        )""",
    "video": "video_id = $entity_id",
}


@dataclass(frozen=True, slots=True)
class BeforeTrackingQuery:
    """A post, or counted posts of an entity, and days of `zone` (IANA), both inclusive."""

    organization_id: UUID
    entity: Tracked
    entity_id: UUID
    from_day: date
    to_day: date
    zone: str


def views_before_tracking(
    cursor: DuckDBPyConnection, query: BeforeTrackingQuery
) -> dict[date, int]:
    """Return views from before tracking, on the days on which they were first known.

    Series count them as new on these days. Days without any are left out.
    """
    parameters = {
        "organization_id": query.organization_id,
        "entity_id": query.entity_id,
        "zone": query.zone,
        "from_at": start_of(query.from_day, query.zone),
        "until_at": start_of(query.to_day + timedelta(days=1), query.zone),
    }
    statement = BY_DAY.format(is_among=IS_AMONG[query.entity])
    return dict(cursor.execute(statement, parameters).fetchall())


def views_known_from(cursor: DuckDBPyConnection, query: BeforeTrackingQuery) -> tuple[date | None]:
    """Return the first day on which any views are known, in `zone`; its range does not matter."""
    parameters = {
        "organization_id": query.organization_id,
        "entity_id": query.entity_id,
        "zone": query.zone,
    }
    statement = KNOWN_FROM.format(is_among=IS_AMONG[query.entity])
    [row] = cursor.execute(statement, parameters).fetchall()
    return row
