"""Sums of an organization's accruals by status, for many filters in one query.

A publication has hundreds of thousands of accruals, whose sums never change; newer decisions
affect a few. So both are summed separately and added.
"""

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from datetime import date
from typing import Any, Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.amounts import bounded_cents
from warehouse.reading.accruals.newer import (
    HALVES,
    PUBLISHED,
    SINCE,
    Newer,
    published_parameters,
    row_of,
)
from warehouse.reading.accruals.published import published_state
from warehouse.reading.statements import over, statement

COMMITTED_SPEND: Final = statement(__name__, "committed_spend.sql")
OF_PUBLISHED: Final = over(COMMITTED_SPEND, accruals=PUBLISHED)
OF_SUMMANDS: Final = over(COMMITTED_SPEND, accruals=statement(__name__, "summands.sql"))
REPLACED: Final = over(statement(__name__, "replaced.sql"), **HALVES, subjects=SINCE["subjects"])


@dataclass(frozen=True, slots=True, kw_only=True)
class AccrualFilter:
    """Filters accruals of a project. Days are inclusive, by the period's end. None: any."""

    project_id: UUID
    structure_id: UUID | None = None
    creator_ids: tuple[UUID, ...] | None = None
    from_day: date | None = None
    to_day: date | None = None


@dataclass(frozen=True, slots=True)
class CommittedSpend:
    """Cents of accruals by status; void ones do not count (M17)."""

    open_cents: int = 0
    settling_cents: int = 0
    final_cents: int = 0
    approved_cents: int = 0
    paid_cents: int = 0

    @property
    def total_cents(self) -> int:
        """Committed spend: earned by now, paid or not."""
        return bounded_cents(sum(astuple(self)))


Sums = Sequence[tuple[int, ...]]
"""Cents by status for each filter, in the order of CommittedSpend's fields, unbounded."""


@dataclass(frozen=True, slots=True)
class PublishedFilters:
    """An organization and the filters of published accruals."""

    organization_id: UUID
    filters: tuple[AccrualFilter, ...]

    @property
    def ids(self) -> int:
        """Number of creator ids, by which caches count memory."""
        return sum(len(each.creator_ids or ()) for each in self.filters)


@dataclass(frozen=True, slots=True)
class PublishedSubjects:
    """An organization and subjects whose published accruals are requested."""

    organization_id: UUID
    subjects: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class Summand:
    """An accrual's contribution to sums, negative if another replaces it."""

    project_id: UUID
    structure_id: UUID
    creator_id: UUID
    period_end: date
    status: str
    amount_cents: int


SUMMAND: Final = tuple(field.name for field in fields(Summand))


def published_sums(cursor: DuckDBPyConnection, query: PublishedFilters) -> Sums:
    """Return the published sums of each filter, in order."""
    parameters = _of_publication(cursor, query.organization_id) | {
        "filters": _as_json(query.filters)
    }
    return cursor.execute(OF_PUBLISHED, parameters).fetchall()


def published_of(cursor: DuckDBPyConnection, query: PublishedSubjects) -> Sequence[Summand]:
    """Return the published accruals of subjects, to be subtracted from sums."""
    if not query.subjects:
        return []
    subjects = ",".join(map(str, query.subjects))
    parameters = _of_publication(cursor, query.organization_id) | {"subjects": subjects}
    return [Summand(*row) for row in cursor.execute(REPLACED, parameters).fetchall()]


def committed_spends(
    cursor: DuckDBPyConnection,
    filters: Sequence[AccrualFilter],
    published: Sums,
    newer: Newer,
    replaced: Sequence[Summand],
) -> list[CommittedSpend]:
    """Return the present sums of each filter, in order.

    Published sums, plus `newer` accruals, minus the published ones that these replace.
    """
    brought = [Summand(*(getattr(accrual, name) for name in SUMMAND)) for accrual in newer.accruals]
    summands = [row_of(accrual) for accrual in (*brought, *replaced)]
    if not summands:
        return [_committed_spend(cents) for cents in published]
    parameters = {"summands": json.dumps(summands, default=str), "filters": _as_json(filters)}
    changes = cursor.execute(OF_SUMMANDS, parameters).fetchall()
    return [
        _committed_spend([sum(both) for both in zip(*cents, strict=True)])
        for cents in zip(published, changes, strict=True)
    ]


def _committed_spend(cents: Sequence[int]) -> CommittedSpend:
    return CommittedSpend(*map(bounded_cents, cents))


def _of_publication(cursor: DuckDBPyConnection, organization_id: UUID) -> dict[str, Any]:
    return published_parameters(organization_id, published_state(cursor, organization_id).moment)


def _as_json(filters: Sequence[AccrualFilter]) -> str:
    numbered = ({"number": number, **row_of(each)} for number, each in enumerate(filters))
    return json.dumps(list(numbered), default=str)
