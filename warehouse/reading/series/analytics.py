"""Bucketed time series of videos, creators and campaigns (contract, Analytics).

`new` of a bucket is the sum of changes between consecutive readings, each at the later one's
instant; `cumulative` is the running sum, so that over any range cumulative(end) minus
cumulative(start) is the sum of `new`. Buckets are in `calendar`, unknown values in `courses`.
A rate is of a bucket's gains; followers, and posts over which views are averaged, are counts at its
end.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final

from duckdb import DuckDBPyConnection

from warehouse.reading.series.beginnings import Beginnings
from warehouse.reading.series.calendar import Bucket
from warehouse.reading.series.courses import ALWAYS, Course, Tracked, course, tracked
from warehouse.reading.series.days import Days, days_of, of_all_time
from warehouse.reading.series.known import Known
from warehouse.reading.series.largest import largest
from warehouse.reading.series.metrics import ENGAGEMENT, METRICS, Counter, Metric, Mode
from warehouse.reading.series.query import (
    Breakdown,
    Member,
    MemberSeries,
    Series,
    SeriesQuery,
    Value,
    Values,
)
from warehouse.reading.series.sources import changes_by_day
from warehouse.reading.series.totals import Sums, sums_by_bucket
from warehouse.reading.statements import statement
from warehouse.rules.cached_plan import CachedPlan

ENGAGEMENT_RATES: Final = CachedPlan(statement(__name__, "engagement_rates.sql"))
DAYS_OF_A_WEEK = 7


@dataclass(frozen=True, slots=True)
class Courses:
    """The courses of a metric's counters, over the same buckets."""

    buckets: Sequence[Bucket]
    of: Mapping[Counter, Course]

    def engagement_rates(self, whole: Sequence[int | None]) -> Values:
        """Return gained likes, comments, shares and saves in percent of `whole`."""
        counters = {counter: self.of[counter].gains for counter in ENGAGEMENT}
        rows = zip(*counters.values(), whole, strict=True)
        names = ("position", *counters, "whole")
        given = [
            dict(zip(names, (position, *row), strict=True)) for position, row in enumerate(rows)
        ]
        return [rate for (rate,) in ENGAGEMENT_RATES.ask(json.dumps(given))]


def values_of(query: SeriesQuery, courses: Courses) -> Values:
    """Return a value for each bucket of the range. The courses start with the query's lead."""
    if query.metric != "growth_rate_pop":
        return _retained(query, courses.buckets, _plain(query.metric, query.mode, courses))
    base = _plain(query.base_metric or query.metric, "new", courses)
    values = _retained(query, courses.buckets, base)
    compared = [values[0], *values[len(query.lead) :]]
    return [_growth(before, now) for before, now in pairwise(compared)]


def _retained(query: SeriesQuery, buckets: Sequence[Bucket], values: Values) -> Values:
    """Return the values, None for buckets that the plan does not retain."""
    retained_from = query.retained_from
    if retained_from is None:
        return values
    return [
        None if bucket.first_day < retained_from else value
        for bucket, value in zip(buckets, values, strict=True)
    ]


def _plain(metric: Metric, mode: Mode, courses: Courses) -> Values:
    definition = METRICS[metric]
    if definition.is_rate:
        return RATES[metric](courses)
    course = courses.of[definition.counters[0]]
    return course.gains if mode == "new" else course.counts


def _by_views(courses: Courses) -> Values:
    return courses.engagement_rates(courses.of["views"].gains)


def _by_followers(courses: Courses) -> Values:
    return courses.engagement_rates(courses.of["followers"].counts)


def _posts_per_week(courses: Courses) -> Values:
    posts = courses.of["video_count"].gains
    return [
        None if count is None else DAYS_OF_A_WEEK * count / bucket.days
        for count, bucket in zip(posts, courses.buckets, strict=True)
    ]


def _views_per_post(courses: Courses) -> Values:
    views, posts = courses.of["views"].gains, courses.of["video_count"].counts
    return [_ratio(*both) for both in zip(views, posts, strict=True)]


RATES: Mapping[Metric, Callable[[Courses], Values]] = {
    "engagement_rate_by_views": _by_views,
    "engagement_rate_by_followers": _by_followers,
    "posts_per_week": _posts_per_week,
    "avg_views_per_post": _views_per_post,
}


def _ratio(part: int | None, whole: int | None) -> float | None:
    if part is None or not whole:
        return None
    return part / whole + 0.0  # avoids -0.0


def _growth(before: Value, now: Value) -> float | None:
    """Return the change in percent of the absolute previous value."""
    if before is None or now is None or before == 0:
        return None
    return 100 * (now - before) / abs(before)


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
