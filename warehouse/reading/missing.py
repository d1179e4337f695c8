"""Which buckets are missing data (null) and which are 0, though no count is known in them.

A bucket is null before the entity's first snapshot (decisions.md, Analytics). After that a creator
or campaign none of whose posts was read yet has nothing to count: 0. Once posts are read, a
counter that their platform never showed is unknown: null. Followers are unknown until an account's
count is read.
"""

from collections.abc import Sequence
from datetime import date

from duckdb import DuckDBPyConnection

from warehouse.reading.buckets import Bucket
from warehouse.reading.first_snapshots import day_in, first_snapshots
from warehouse.reading.series_query import Point, SeriesQuery


def missing_told_from_empty(
    cursor: DuckDBPyConnection, query: SeriesQuery, buckets: Sequence[Bucket]
) -> list[Point]:
    """Return the points of the buckets. Asks when the entity was first read only if it matters."""
    if query.metric != "video_count" and all(bucket.value is not None for bucket in buckets):
        return [Point(bucket.bucket_start, bucket.value) for bucket in buckets]
    tracked_since, empty_until = _days(cursor, query)
    return [
        Point(bucket.bucket_start, _value(bucket, tracked_since, empty_until)) for bucket in buckets
    ]


def _value(bucket: Bucket, tracked_since: date, empty_until: date) -> int | None:
    if bucket.last_day < tracked_since:
        return None
    if bucket.value is None and bucket.last_day < empty_until:
        return 0
    return bucket.value


def _days(cursor: DuckDBPyConnection, query: SeriesQuery) -> tuple[date, date]:
    """Return the day of the entity's first snapshot, and that before which it is empty."""
    first = first_snapshots(cursor, query.organization_id, query.entity, query.entity_id)
    tracked_since = day_in(query.zone, first.of_any) or date.max
    if query.metric == "video_count":
        return tracked_since, date.max
    if query.metric == "followers":
        return tracked_since, tracked_since
    return tracked_since, day_in(query.zone, first.of_posts) or date.max
