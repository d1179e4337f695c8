"""Sums of an organization's accruals by status: many filters by one query.

A publication's sums are those of hundreds of thousands of accruals, and stay as they are; what was
decided since is about a few. So the sums of both are made apart, and added up.
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
    """Which accruals of a project; days are inclusive, of the period's end. None: any."""

    project_id: UUID
    structure_id: UUID | None = None
    creator_ids: tuple[UUID, ...] | None = None
    from_day: date | None = None
    to_day: date | None = None


@dataclass(frozen=True, slots=True)
class CommittedSpend:
    """What accruals come to, in cents, by status; void ones count nowhere (M17)."""

    open_cents: int = 0
    settling_cents: int = 0
    final_cents: int = 0
    approved_cents: int = 0
    paid_cents: int = 0

    @property
    def total_cents(self) -> int:
        """All of it: what is earned by now, whether paid or not."""
        return bounded_cents(sum(astuple(self)))


Sums = Sequence[tuple[int, ...]]
"""For each filter the cents by status, in the order of CommittedSpend's fields, unbounded."""


@dataclass(frozen=True, slots=True)
class PublishedFilters:
    """Whose accruals are summed up as published, and by which filters."""

    organization_id: UUID
    filters: tuple[AccrualFilter, ...]

    @property
    def ids(self) -> int:
        """How many creators it names, by which whoever keeps it counts memory."""
        return sum(len(each.creator_ids or ()) for each in self.filters)


@dataclass(frozen=True, slots=True)
class PublishedSubjects:
    """Of which subjects the accruals are wanted as published."""

    organization_id: UUID
    subjects: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class Summand:
    """What one accrual brings to sums; less than none where another takes its place."""

    project_id: UUID
    structure_id: UUID
    creator_id: UUID
    period_end: date
    status: str
    amount_cents: int


SUMMAND: Final = tuple(field.name for field in fields(Summand))


def published_sums(cursor: DuckDBPyConnection, query: PublishedFilters) -> Sums:
    """Return what each filter selects as published, in their order."""
    parameters = _of_publication(cursor, query.organization_id) | {
        "filters": _as_json(query.filters)
    }
    return cursor.execute(OF_PUBLISHED, parameters).fetchall()


def published_of(cursor: DuckDBPyConnection, query: PublishedSubjects) -> Sequence[Summand]:
    """Return what the published accruals of subjects bring to sums no more."""
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
    """Return what each filter selects now, in their order.

    As published, and what `newer` brings, less the published accruals that it takes the place of.
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
