"""The days on which views of a post, or of several, were read.

Series have 0 for a day without readings: what came then counts on the day of the next one.
"""

from datetime import date, timedelta
from typing import Final

from duckdb import DuckDBPyConnection

from warehouse.reading.before_tracking import IS_AMONG, BeforeTrackingQuery
from warehouse.zones import start_of

OF_POST: Final = """
    select distinct cast(timezone($zone, readings.captured_at) as date)
    from marts.videos as videos
    inner join marts.video_deltas as readings using (video_id)
    where
        videos.organization_id = $organization_id
        and videos.video_id = $entity_id
        and readings.view_delta is not null
        and readings.captured_at >= $from_at
        and readings.captured_at < $until_at
"""
OF_POSTS: Final = """
    select distinct days.day
    from marts.videos
    inner join marts.video_daily as days using (video_id)
    where
        organization_id = $organization_id
        and {is_among}
        and days.new_views is not null
        and days.day >= $from_day
        and days.day <= $to_day
"""
"""A reading without views counts too: those of many posts are rarely all without."""


def days_with_views(cursor: DuckDBPyConnection, query: BeforeTrackingQuery) -> set[date]:
    """Return the days of the query with a reading, in its zone."""
    whose = {"organization_id": query.organization_id, "entity_id": query.entity_id}
    if query.entity == "video":
        until_at = start_of(query.to_day + timedelta(days=1), query.zone)
        between = {"from_at": start_of(query.from_day, query.zone), "until_at": until_at}
        rows = cursor.execute(OF_POST, {**whose, **between, "zone": query.zone}).fetchall()
    else:
        days = {"from_day": query.from_day, "to_day": query.to_day}
        statement = OF_POSTS.format(is_among=IS_AMONG[query.entity])
        rows = cursor.execute(statement, {**whose, **days}).fetchall()
    return {day for (day,) in rows}
