"""What parts of an organization's accruals come to by how they stand, many parts by one query."""

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import date
from typing import Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.amounts import bounded_cents
from warehouse.reading.accruals.newer import Newer, current_accruals, row_of
from warehouse.reading.statements import over, statement

EXPOSURES: Final = statement(__name__, "exposures.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Which accruals of a project; days are inclusive, of the period's end. None: any."""

    project_id: UUID
    structure_id: UUID | None = None
    creator_ids: Sequence[UUID] | None = None
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


def exposures(
    cursor: DuckDBPyConnection, organization_id: UUID, newer: Newer, parts: Sequence[Part]
) -> list[Exposure]:
    """Return what each part comes to, in their order."""
    accruals, parameters = current_accruals(organization_id, newer)
    asked = [{"number": number, **row_of(part)} for number, part in enumerate(parts)]
    parameters |= {"parts": json.dumps(asked, default=str)}
    rows = cursor.execute(over(EXPOSURES, accruals=accruals), parameters).fetchall()
    return [Exposure(*cents) for cents in rows]
