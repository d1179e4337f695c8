"""Figures of an answer: everything that a publication has for a question, computed once.

A publication never changes, so figures are cached by its id and the whole question (including
organization, timezone, days and retention). So are all days of a requested entity, which serve its
other ranges. Nothing from PostgreSQL is cached: access, labels, annotations and today's date are
looked up for each request.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from duckdb import DuckDBPyConnection

from serving_api.kit.cache import Cache
from warehouse.publication.info import PublicationInfo
from warehouse.reading.milestones import Milestone, milestones
from warehouse.reading.series import analytics
from warehouse.reading.series.days import Days, days_of
from warehouse.reading.series.known import UNKNOWN, Known
from warehouse.reading.series.query import Breakdown, Member, Series, SeriesQuery

MOST_VALUES = 1_000_000
"""Values and days that a process caches: some 50 MB of values, 20 MB of days."""
WEIGHT_OF_ONE = 100
"""The fixed weight of figures, in values."""
KNOWN_SECONDS = 3600.0
"""Long enough, because the next publication has another key."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query, whether to compare it, and its breakdown: the kind of members and how many."""

    query: SeriesQuery
    compares: bool
    members: Member | None
    top_n: int


@dataclass(frozen=True, slots=True)
class Figures:
    """Series by entity, those of the prior period, and the breakdown; None if not requested."""

    series: Series
    compared: Series | None
    breakdown: Breakdown | None
    known: Known

    @property
    def weight(self) -> int:
        """Return the number of values, plus the fixed weight."""
        rows = [*self.series.values(), *(self.compared or {}).values()]
        if self.breakdown is not None:
            rows += [member.values for member in self.breakdown.top]
        return WEIGHT_OF_ONE + sum(map(len, rows))


class FigureCache:
    """The figures, days and milestones that a process caches."""

    def __init__(self) -> None:
        self._figures: Cache[Figures] = Cache(MOST_VALUES)
        self._days: Cache[Days] = Cache(MOST_VALUES)
        self._milestones: Cache[Sequence[Milestone]] = Cache(MOST_VALUES)

    def find(self, publication: PublicationInfo, question: Question) -> Figures | None:
        return self._figures.get((publication.publication_id, question))

    def work_out(
        self,
        cursor: DuckDBPyConnection,
        publication: PublicationInfo,
        question: Question,
        known: Known,
        *,
        seconds: float,
    ) -> Figures:
        """Compute the figures and cache them for `seconds`."""
        figures = _figures(cursor, question, known, partial(self._days_of, publication))
        key = (publication.publication_id, question)
        self._figures.put(key, figures, weight=figures.weight, seconds=seconds)
        return figures

    def milestones(
        self, cursor: DuckDBPyConnection, publication: PublicationInfo, organization_id: UUID
    ) -> Callable[[Collection[UUID]], Sequence[Milestone]]:
        """Return a lookup of creators' milestones, cached for each publication."""

        def reached(creator_ids: Collection[UUID]) -> Sequence[Milestone]:
            key = (publication.publication_id, organization_id, tuple(creator_ids))
            cached = self._milestones.get(key)
            if cached is None:
                cached = milestones(cursor, organization_id, creator_ids)
                weight = WEIGHT_OF_ONE + len(cached)
                self._milestones.put(key, cached, weight=weight, seconds=KNOWN_SECONDS)
            return cached

        return reached

    def _days_of(
        self,
        publication: PublicationInfo,
        cursor: DuckDBPyConnection,
        whole: SeriesQuery,
        known: Known,
    ) -> Days:
        key = (publication.publication_id, whole)
        days = self._days.get(key)
        if days is None:
            days = days_of(cursor, whole, known)
            self._days.put(key, days, weight=WEIGHT_OF_ONE + days.values, seconds=KNOWN_SECONDS)
        return days


def unpublished(question: Question) -> Figures:
    """Return the figures before the first publication: all values are null."""
    query = question.query
    nothing = dict.fromkeys(query.entity_ids, [None] * len(query.buckets))
    return Figures(nothing, nothing if question.compares else None, None, UNKNOWN)


def _figures(
    cursor: DuckDBPyConnection, question: Question, known: Known, days: analytics.DaysOf
) -> Figures:
    query, compared, broken_down = question.query, None, None
    series = analytics.series(cursor, query, known, days)
    if question.compares:
        compared = analytics.series(cursor, query.prior_period(), known, days)
    if question.members is not None:
        whole = series[query.entity_ids[0]]
        broken_down = analytics.breakdown(
            cursor, query, known, whole, kind=question.members, top_n=question.top_n
        )
    return Figures(series, compared, broken_down, known)
