"""Changes of video_count on the days of any zone: a post counts from when it was posted.

Where that is unknown, from its first reading; never before the run's business time (as in
creator_daily and campaign_daily).
"""

from warehouse.reading.changes import Changes
from warehouse.reading.local_days import (
    MARGIN,
    holds_at,
    instants_around,
    local_day,
    offsets_parameters,
    offsets_table,
)
from warehouse.reading.members import VIDEOS
from warehouse.reading.series_query import SeriesQuery

CHANGES = """
posts as (
    select coalesce(posted_at, first_captured_at) as appeared_at
    from ({members})
    where appeared_at <= (select as_of from marts.publication)
),

{zone_offsets},

changes as (
    select
        $opening_day as day,
        count(*) as change
    from posts
    where appeared_at < $scan_from
    union all
    select
        {day} as day,
        1 as change
    from posts
    inner join zone_offsets on {in_zone}
    where {day} <= $to_day
)
"""


def post_changes(query: SeriesQuery) -> Changes:
    """Return how many counted posts appeared on the days of `query.zone`."""
    start, end = instants_around(query.from_day, query.to_day)
    tables = CHANGES.format(
        members=VIDEOS[query.entity],
        zone_offsets=offsets_table("zone_offsets"),
        day=local_day("appeared_at", "zone_offsets"),
        in_zone=holds_at("appeared_at", "zone_offsets"),
    )
    offsets = offsets_parameters("zone_offsets", query.zone, start, end)
    opening_day = query.from_day - MARGIN
    return Changes(tables, {"scan_from": start, "opening_day": opening_day, **offsets})
