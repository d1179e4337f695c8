"""Bucketed time series of videos, creators and campaigns (contract, Analytics).

`new` of a bucket is the sum of changes between consecutive readings, each at the later one's
instant; `cumulative` is the running sum, so that over any range cumulative(end) minus
cumulative(start) is the sum of `new`. Buckets are in `calendar`, unknown values in `courses`,
rates in `values`.
"""

from collections.abc import Callable, Sequence
from itertools import islice

from duckdb import DuckDBPyConnection

from warehouse.reading.series.beginnings import Beginnings
from warehouse.reading.series.calendar import Bucket
from warehouse.reading.series.courses import ALWAYS, Tracked, course, tracked
from warehouse.reading.series.days import Days, days_of, of_all_time
from warehouse.reading.series.known import Known
from warehouse.reading.series.largest import largest
from warehouse.reading.series.query import (
    Breakdown,
    Member,
    MemberSeries,
    Series,
    SeriesQuery,
    Values,
)
from warehouse.reading.series.sources import changes_by_day
from warehouse.reading.series.totals import Sums, sums_by_bucket
from warehouse.reading.series.values import Courses, values_of

DaysOf = Callable[[DuckDBPyConnection, SeriesQuery, Known], Days]


def series(
    cursor: DuckDBPyConnection, query: SeriesQuery, known: Known, days: DaysOf = days_of
) -> Series:
    """Return each entity's values by bucket; none for an empty range.

    `days` loads all days of entities, from a cache or the publication.
    """
    whole = of_all_time(query, known)
    if whole is None:
        sums = sums_by_bucket(cursor, query, changes_by_day(query, known.org_zone))
    else:
        sums = days(cursor, whole, known).sums(query)
    buckets = [*query.lead, *query.buckets]
    return {
        entity: _values(query, buckets, sums.get(entity, {}), known.beginnings[entity])
        for entity in query.entity_ids
    }


def breakdown(
    cursor: DuckDBPyConnection,
    query: SeriesQuery,
    known: Known,
    whole: Values,
    *,
    kind: Member,
    top_n: int,
) -> Breakdown:
    """Return the series of the `top_n` members with the largest sums over the range, and the rest.

    For one entity, whose values are `whole`, and a counter. All add up to the whole: the rest are
    other members and posts without creator. A member's bucket is None until its counter is known,
    and for video_count where the whole's is.
    """
    sums_of = largest(cursor, query, known, kind, at_most=top_n + 1)
    if not sums_of:
        return Breakdown([], None)
    of = _tracked_with(query, known)
    top = [
        MemberSeries(member, _member(query, sums, of))
        for member, sums in islice(sums_of.items(), top_n)
    ]
    others = _others(whole, top)
    return Breakdown(top, others if len(sums_of) > top_n or any(others) else None)


def _values(query: SeriesQuery, buckets: Sequence[Bucket], sums: Sums, began: Beginnings) -> Values:
    courses = {
        counter: course(buckets, sums.get(counter, {}), tracked(began, counter, query.zone))
        for counter in query.counters
    }
    return values_of(query, Courses(buckets, courses))


def _tracked_with(query: SeriesQuery, known: Known) -> Tracked:
    (counter,) = query.counters
    if counter != "video_count":
        return ALWAYS
    return tracked(known.beginnings[query.entity_ids[0]], counter, query.zone)


def _member(query: SeriesQuery, sums: Sums, of: Tracked) -> Values:
    (counter,), buckets = query.counters, query.buckets
    courses = {counter: course(buckets, sums.get(counter, {}), of)}
    return values_of(query, Courses(buckets, courses))


def _others(whole: Values, top: Sequence[MemberSeries]) -> Values:
    by_bucket = zip(*(member.values for member in top), strict=True)
    return [
        None if value is None else value - sum(filter(None, of_bucket))
        for value, of_bucket in zip(whole, by_bucket, strict=True)
    ]
