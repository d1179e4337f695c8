"""Bucketed time series of videos, creators and campaigns (contract, Analytics).

`new` of a bucket is the sum of the changes between consecutive readings, each at the later one's
instant; `cumulative` is the running sum, so that over any range cumulative(end) minus
cumulative(start) is the sum of `new`. A bucket before the entity's first snapshot, or in which the
count was never known yet, is None; after that a bucket without readings is 0 or unchanged.
(decisions.md, Analytics.)
"""

from datetime import date
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.buckets import bucketed, every_bucket
from warehouse.reading.changes import Changes
from warehouse.reading.daily import daily_changes
from warehouse.reading.first_snapshots import FirstSnapshots, day_in, first_snapshots
from warehouse.reading.missing import missing_told_from_empty
from warehouse.reading.organizations import zone_of_days
from warehouse.reading.posts import post_changes
from warehouse.reading.readings import exact_changes
from warehouse.reading.series_query import (
    Entity,
    Granularity,
    Metric,
    Mode,
    Point,
    SeriesQuery,
    UnsupportedMetric,
)

__all__ = [
    "Entity",
    "FirstSnapshots",
    "Granularity",
    "Metric",
    "Mode",
    "Point",
    "SeriesQuery",
    "UnsupportedMetric",
    "first_data_date",
    "first_snapshots",
    "series",
]


def series(cursor: DuckDBPyConnection, query: SeriesQuery) -> list[Point]:
    """Return one point for each bucket of the range, oldest first; none for an empty range."""
    changes = _changes(cursor, query)
    statement = bucketed(changes.tables, query.granularity, query.mode)
    parameters = {
        "organization_id": query.organization_id,
        "entity_id": query.entity_id,
        "from_day": query.from_day,
        "to_day": query.to_day,
        **changes.parameters,
    }
    changed = dict(cursor.execute(statement, parameters).fetchall())
    return missing_told_from_empty(cursor, query, list(every_bucket(query, changed)))


def first_data_date(
    cursor: DuckDBPyConnection, *, organization_id: UUID, entity: Entity, entity_id: UUID, zone: str
) -> date | None:
    """Return the day in `zone` of the entity's first snapshot; None before there is one."""
    return day_in(zone, first_snapshots(cursor, organization_id, entity, entity_id).of_any)


def _changes(cursor: DuckDBPyConnection, query: SeriesQuery) -> Changes:
    org_zone = zone_of_days(cursor, query.organization_id)
    if org_zone is None or org_zone == query.zone:
        return daily_changes(query)
    if query.metric == "video_count":
        return post_changes(query)
    return exact_changes(query, org_zone)
