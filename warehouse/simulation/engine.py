"""One simulation: facts that models are run over, and read as publications are."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from uuid import UUID

import duckdb

from warehouse.reading.accruals.accrual import CONTENT, Accrual
from warehouse.reading.accruals.holds import OddReading, odd_readings
from warehouse.reading.named_rows import named_rows
from warehouse.reading.statements import statement
from warehouse.simulation.inputs import Tables
from warehouse.simulation.memory import compute, filled, readings_in
from warehouse.simulation.proposal import PROPOSED, Proposal, with_proposal
from warehouse.simulation.slices import slices

EARNED: Final = statement(__name__, "earned.sql")
PARTS: Final = statement(__name__, "parts.sql")
"""Read apart from what they are parts of: both at once take more than their database has."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one post has of an amount; what no post brought has none."""

    video_id: UUID | None
    views: int | None
    amount_cents: int


@dataclass(frozen=True, slots=True)
class Earned:
    """An amount as an accrual of it has it, with its evidence and its parts by post.

    `waits_for` are the odd readings behind it, where its rule has such amounts wait for a check.
    """

    accrual: Accrual
    evidence: Mapping[str, Any]
    parts: Sequence[Part]
    waits_for: Sequence[OddReading]

    @property
    def is_proposed(self) -> bool:
        """Whether the proposed structure pays it, and not the one it stands for."""
        return self.accrual.structure_id == PROPOSED


def simulate(
    publication: duckdb.DuckDBPyConnection,
    statements: Sequence[str],
    facts: Tables,
    proposal: Proposal,
) -> Sequence[Earned]:
    """Return what the proposal, and the structure it stands for, would have paid.

    The periods are those that hold a day that is asked about, as of the publication. Amounts are
    those earned: nobody decided on them, released or paid them. Raises TooManyReadings,
    RoundedFollowers and Busy.
    """
    criteria_type = proposal.version["criteria_type"]
    readings = 0
    earned: list[Earned] = []
    for part, of_part in slices(facts, proposal):
        given = with_proposal(part, of_part)
        with filled(publication, given, criteria_type, readings) as memory:
            readings += readings_in(memory)
            compute(memory, statements)
            earned += _earned(memory, of_part)
    return earned


def _earned(memory: duckdb.DuckDBPyConnection, proposal: Proposal) -> list[Earned]:
    parameters = {"from_day": proposal.from_day, "to_day": proposal.to_day}
    parts = _parts(memory, parameters)
    rows = named_rows(memory.execute(EARNED, parameters))
    odd = odd_readings(memory, proposal.organization_id)
    return [
        _one(row, parts.get(row["accrual_id"], ()), odd.get(row["accrual_id"], ())) for row in rows
    ]


def _parts(
    memory: duckdb.DuckDBPyConnection, parameters: Mapping[str, date]
) -> Mapping[UUID, Sequence[Part]]:
    """Return the parts of each amount, the largest first."""
    parts: dict[UUID, list[Part]] = {}
    for accrual_id, *part in memory.execute(PARTS, parameters).fetchall():
        parts.setdefault(accrual_id, []).append(Part(*part))
    return parts


def _one(row: Mapping[str, Any], parts: Sequence[Part], odd: Sequence[OddReading]) -> Earned:
    content = {name: row[name] for name in CONTENT}
    return Earned(
        Accrual(accrual_id=row["accrual_id"], status=row["status"], **content),
        json.loads(row["evidence"]),
        parts,
        odd if row["amount_cents"] > 0 else (),
    )
