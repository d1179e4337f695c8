"""Changes on the days of any zone, exactly: from video_deltas and account_snapshots.

Only the readings around the range are looked at. What came before is taken from the daily marts,
up to the end of an org-local day that is over before the range begins in any zone.
"""

from warehouse.reading.changes import Changes
from warehouse.reading.daily import count_at
from warehouse.reading.local_days import (
    MARGIN,
    holds_at,
    instants_around,
    local_day,
    offsets_parameters,
    offsets_table,
)
from warehouse.reading.members import ACCOUNTS, VIDEOS
from warehouse.reading.series_query import Entity, Metric, SeriesQuery

DELTAS: dict[Metric, str] = {
    "views": "view_delta",
    "likes": "like_delta",
    "comments": "comment_delta",
    "shares": "share_delta",
    "saves": "save_delta",
    "followers": "follower_delta",
}

CHANGES = """
readings as (
    select
        captured_at,
        {delta} as change
    from {readings}
        and captured_at >= $scan_from
        and captured_at < $scan_to
        and {delta} is not null
),

{zone_offsets},

{org_offsets},

dated as (
    select
        {zone_day} as day,
        {org_day} as org_day,
        change
    from readings
    inner join zone_offsets on {in_zone}
    inner join org_offsets on {in_org_zone}
),

opening as ({opening}),

changes as (
    select
        $opening_day as day,
        total as change
    from opening
    where total is not null
    union all
    select
        day,
        change
    from dated
    where org_day > $opening_day and day <= $to_day
)
"""


def exact_changes(query: SeriesQuery, org_zone: str) -> Changes:
    """Return the changes of a counter on the days of `query.zone`.

    `org_zone` is the zone in whose days the daily marts are.
    """
    tables = CHANGES.format(
        delta=DELTAS[query.metric],
        readings=_readings_of(query.entity, query.metric),
        zone_offsets=offsets_table("zone_offsets"),
        org_offsets=offsets_table("org_offsets"),
        zone_day=local_day("captured_at", "zone_offsets"),
        org_day=local_day("captured_at", "org_offsets"),
        in_zone=holds_at("captured_at", "zone_offsets"),
        in_org_zone=holds_at("captured_at", "org_offsets"),
        opening=count_at(query, "$opening_day"),
    )
    return Changes(tables, _parameters(query, org_zone))


def _readings_of(entity: Entity, metric: Metric) -> str:
    if metric == "followers":
        members = f"select account_id from ({ACCOUNTS[entity]})"  # noqa: S608 (our own texts)
        return f"marts.account_snapshots\n    where\n        account_id in ({members})"
    members = f"select video_id from ({VIDEOS[entity]})"  # noqa: S608 (our own texts)
    return f"marts.video_deltas\n    where\n        video_id in ({members})"


def _parameters(query: SeriesQuery, org_zone: str) -> dict[str, object]:
    start, end = instants_around(query.from_day, query.to_day)
    return {
        "scan_from": start,
        "scan_to": end,
        "opening_day": query.from_day - MARGIN,
        **offsets_parameters("zone_offsets", query.zone, start, end),
        **offsets_parameters("org_offsets", org_zone, start, end),
    }
