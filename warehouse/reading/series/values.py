"""Values of a metric from counters over buckets (contract, Analytics, Metrics).

A rate is of a bucket's gains; followers, and posts over which views are averaged, are counts at
its end.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from warehouse.reading.series.calendar import Bucket
from warehouse.reading.series.courses import Course
from warehouse.reading.series.metrics import ENGAGEMENT, METRICS, Counter, Metric, Mode
from warehouse.reading.series.query import SeriesQuery, Value, Values
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
