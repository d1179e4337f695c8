"""Of which posts views stand still while their other counters move on: cpm pays them too little.

What evidence of cpm says of it is as of the period's end: what was read later is the next period's.
Looked up where evidence is read, as `readings_behind`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from duckdb import DuckDBPyConnection

Evidence = dict[str, Any]
SCOPE = ("platform_scope", "platform", "account_id", "view_lifetime_days")
"""What evidence says of which posts count, and for how long."""

STANDING = """
    with

    asked as (
        select unnest(
            from_json(
                $asked,
                '[{
                    "accrual_id": "UUID", "creator_id": "UUID", "timezone": "VARCHAR",
                    "from_day": "DATE", "ends_at": "TIMESTAMPTZ", "platform_scope": "VARCHAR",
                    "platform": "VARCHAR", "account_id": "UUID", "view_lifetime_days": "INTEGER"
                }]'
            ),
            max_depth := 2
        )
    ),

    posts as (
        select
            asked.accrual_id,
            asked.ends_at,
            timezone(asked.timezone, cast(asked.from_day as timestamp)) as begins_at,
            videos.video_id,
            coalesce(videos.posted_at, videos.first_captured_at)
            + asked.view_lifetime_days * interval 24 hours as lifetime_ends_at
        from asked
        inner join marts.videos as videos
            on
                asked.creator_id = videos.creator_id
                and case asked.platform_scope
                    when 'all' then true
                    when 'platform' then asked.platform = videos.platform
                    when 'account' then asked.account_id = videos.account_id
                end
        where videos.organization_id = $organization_id and videos.is_counted
    ),

    readings as materialized (
        select
            deltas.video_id,
            deltas.captured_at,
            deltas.view_count
        from marts.video_deltas as deltas
        semi join posts using (video_id)
    ),

    last_shown as (
        select
            posts.*,
            readings.captured_at as views_as_of
        from posts
        asof join (from readings where view_count is not null) as readings
            on posts.video_id = readings.video_id and posts.ends_at > readings.captured_at
    ),

    last_read as (
        select
            last_shown.*,
            readings.captured_at as read_at
        from last_shown
        asof join readings
            on last_shown.video_id = readings.video_id and last_shown.ends_at > readings.captured_at
    )

    select
        accrual_id,
        cast(video_id as varchar) as video_id,
        views_as_of
    from last_read
    where
        views_as_of < read_at
        and (lifetime_ends_at is null or lifetime_ends_at > greatest(views_as_of, begins_at))
    order by views_as_of, video_id
"""


@dataclass(frozen=True, slots=True)
class Published:
    """An accrual's evidence as published, of whom it is and when its period ends."""

    evidence: Evidence
    creator_id: UUID
    timezone: str
    ends_at: datetime


def standing_views(
    cursor: DuckDBPyConnection, organization_id: UUID, published: Mapping[UUID, Published]
) -> Mapping[UUID, list[dict[str, str]]]:
    """Return, of each cpm accrual, the posts whose last readings did not show views.

    The longest standing first. Counted are those that are the creator's now, in the version's
    scope, unless their lifetime ended before.
    """
    asked = [_asked(one, of) for one, of in published.items() if "platform_scope" in of.evidence]
    if not asked:
        return {}
    found: dict[UUID, list[dict[str, str]]] = {UUID(one["accrual_id"]): [] for one in asked}
    parameters = {"organization_id": organization_id, "asked": json.dumps(asked)}
    for accrual_id, video_id, at in cursor.execute(STANDING, parameters).fetchall():
        found[accrual_id].append({"video_id": video_id, "views_as_of": _instant(at)})
    return found


def _asked(accrual_id: UUID, of: Published) -> dict[str, Any]:
    return {
        "accrual_id": str(accrual_id),
        "creator_id": str(of.creator_id),
        "timezone": of.timezone,
        "from_day": of.evidence["covered"][0]["from"],
        "ends_at": of.ends_at.isoformat(),
        **{name: of.evidence[name] for name in SCOPE},
    }


def _instant(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
