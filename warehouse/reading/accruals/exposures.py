"""What parts of an organization's accruals come to by how they stand, many parts by one query.

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

EXPOSURES: Final = statement(__name__, "exposures.sql")
OF_PUBLISHED: Final = over(EXPOSURES, accruals=PUBLISHED)
OF_SUMMANDS: Final = over(EXPOSURES, accruals=statement(__name__, "summands.sql"))
REPLACED: Final = over(statement(__name__, "replaced.sql"), **HALVES, subjects=SINCE["subjects"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Which accruals of a project; days are inclusive, of the period's end. None: any."""

    project_id: UUID
    structure_id: UUID | None = None
    creator_ids: tuple[UUID, ...] | None = None
    from_day: date | None = None
    to_day: date | None = None


@dataclass(frozen=True, slots=True)
class Exposure:
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
"""Of each part the cents by status, in the order of Exposure's fields, however large."""


@dataclass(frozen=True, slots=True)
class PublishedParts:
    """Whose accruals are summed up as published, and which parts of them."""

    organization_id: UUID
    parts: tuple[Part, ...]

    @property
    def ids(self) -> int:
        """How many creators it names, by which whoever keeps it counts memory."""
        return sum(len(part.creator_ids or ()) for part in self.parts)


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


def published_sums(cursor: DuckDBPyConnection, query: PublishedParts) -> Sums:
    """Return what each part comes to as published, in their order."""
    parameters = _of_publication(cursor, query.organization_id) | {"parts": _parts(query.parts)}
    return cursor.execute(OF_PUBLISHED, parameters).fetchall()


def published_of(cursor: DuckDBPyConnection, query: PublishedSubjects) -> Sequence[Summand]:
    """Return what the published accruals of subjects bring to sums no more."""
    if not query.subjects:
        return []
    subjects = ",".join(map(str, query.subjects))
    parameters = _of_publication(cursor, query.organization_id) | {"subjects": subjects}
    return [Summand(*row) for row in cursor.execute(REPLACED, parameters).fetchall()]


def exposures(
    cursor: DuckDBPyConnection,
    parts: Sequence[Part],
    published: Sums,
    newer: Newer,
    replaced: Sequence[Summand],
) -> list[Exposure]:
    """Return what each part comes to now, in their order.

    As published, and what `newer` brings, less the published accruals that it takes the place of.
    """
    brought = [Summand(*(getattr(accrual, name) for name in SUMMAND)) for accrual in newer.accruals]
    summands = [row_of(accrual) for accrual in (*brought, *replaced)]
    if not summands:
        return [_exposure(cents) for cents in published]
    parameters = {"summands": json.dumps(summands, default=str), "parts": _parts(parts)}
    changes = cursor.execute(OF_SUMMANDS, parameters).fetchall()
    return [
        _exposure([sum(both) for both in zip(*cents, strict=True)])
        for cents in zip(published, changes, strict=True)
    ]


def _exposure(cents: Sequence[int]) -> Exposure:
    return Exposure(*map(bounded_cents, cents))


def _of_publication(cursor: DuckDBPyConnection, organization_id: UUID) -> dict[str, Any]:
    return published_parameters(organization_id, published_state(cursor, organization_id).moment)


def _parts(parts: Sequence[Part]) -> str:
    numbered = ({"number": number, **row_of(part)} for number, part in enumerate(parts))
    return json.dumps(list(numbered), default=str)
