"""Loads all days of entities at once, and sums any range from them.

A publication never changes, and viewers request one range after another. Reading all days costs as
much as one range, because a range opens with the sum of all earlier days.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from itertools import accumulate
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.series.calendar import NO_SHIFT, ONE_DAY
from warehouse.reading.series.known import Known
from warehouse.reading.series.local_days import MARGIN
from warehouse.reading.series.metrics import Counter
from warehouse.reading.series.query import SeriesQuery
from warehouse.reading.series.sources import changes_by_day, reads_all_anyway
from warehouse.reading.series.totals import Sums, sums_by_bucket

FIRST_DAY = date.min + 2 * MARGIN
LAST_DAY = date.max - 2 * MARGIN


@dataclass(frozen=True, slots=True)
class DaysOfCounter:
    """The days with readings of a counter (ordinals, sorted), and its counts at their ends.

    `counts` begins with 0, before all days.
    """

    days: "array[int]"
    counts: "array[int]"

    def change(self, first: date, last: date) -> int | None:
        """Return the change over days, both inclusive; None without reading."""
        begin = bisect_left(self.days, first.toordinal())
        end = bisect_right(self.days, last.toordinal())
        return self.counts[end] - self.counts[begin] if begin < end else None


@dataclass(frozen=True, slots=True)
class Days:
    """The days of entities' counters."""

    of: Mapping[UUID, Mapping[Counter, DaysOfCounter]]

    @property
    def values(self) -> int:
        """Number of days of counters, for the cache's size."""
        return sum(
            len(counter.days) for counters in self.of.values() for counter in counters.values()
        )

    def sums(self, query: SeriesQuery) -> dict[UUID, Sums]:
        """Return the same as `sums_by_bucket`, for a query whose `of_all_time` has these days."""
        spans = list(_spans(query))
        return {
            entity: {
                counter: {start: days.change(first, last) for start, first, last in spans}
                for counter, days in counters.items()
            }
            for entity, counters in self.of.items()
        }


def of_all_time(query: SeriesQuery, known: Known) -> SeriesQuery | None:
    """Return the query for all days of a query's entities; many queries share it.

    None if all days would cost more than the range.
    """
    if known.org_zone is None or known.org_zone == query.zone:  # is_in_org_days, as mypy takes it
        return _whole(query, FIRST_DAY, LAST_DAY)
    instants = [began.first_snapshot_at for began in known.beginnings.values()]
    first = min(filter(None, instants), default=None)
    if first is None:
        return None
    whole = _whole(query, first.date() - MARGIN, date(query.last_day.year + 1, 1, 1))
    return whole if reads_all_anyway(whole, known.org_zone) else None


def of_any_days(query: SeriesQuery) -> SeriesQuery:
    """Return the query that all queries of its entities have the same `known_of` as."""
    return replace(_whole(query, FIRST_DAY, LAST_DAY), metric="views", zone="UTC")


def days_of(cursor: DuckDBPyConnection, whole: SeriesQuery, known: Known) -> Days:
    """Return the days of a query from `of_all_time`."""
    sums = sums_by_bucket(cursor, whole, changes_by_day(whole, known.org_zone))
    return Days(
        {
            entity: {counter: _in_order(changes) for counter, changes in of_entity.items()}
            for entity, of_entity in sums.items()
        }
    )


def _whole(query: SeriesQuery, first: date, last: date) -> SeriesQuery:
    return replace(
        query,
        metric=query.base_metric or query.metric,
        base_metric=None,
        mode="new",
        granularity="day",
        bucket_days=1,
        from_day=first,
        to_day=last,
        retained_from=None,
        shift=NO_SHIFT,
    )


def _in_order(changes: Mapping[date | None, int | None]) -> DaysOfCounter:
    read = sorted(
        (day.toordinal(), change) for day, change in changes.items() if day and change is not None
    )
    counts = accumulate((change for _, change in read), initial=0)
    return DaysOfCounter(array("l", (day for day, _ in read)), array("q", counts))


def _spans(query: SeriesQuery) -> Iterator[tuple[date | None, date, date]]:
    """Yield each bucket's name with the days that only it has, and first all earlier days."""
    over = query.first_day_needed - ONE_DAY
    yield None, FIRST_DAY, over
    for bucket in (*query.lead, *query.buckets):
        yield bucket.start, max(bucket.first_day, over + ONE_DAY), bucket.last_day
        over = bucket.last_day
