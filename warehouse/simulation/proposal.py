"""The proposal: a structure beside the existing ones, with ids of its own.

If it replaces an existing one, it has that one's assignments, frozen accruals, and versions for
the periods before the requested days.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from warehouse.simulation.decided import as_copied
from warehouse.simulation.inputs import Row, Tables
from warehouse.zones import start_of

PROPOSED = UUID(int=0)
"""The id of the proposed structure."""

MOST_VERSIONS = 2**31
"""More than any structure has, as numbers are integers."""

A_MOMENT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A rule, the requested days (inclusive, of `zone`), and whom it pays.

    `version` has the columns of payout_versions that define the rule.
    """

    organization_id: UUID
    project_id: UUID
    version: Row
    creators: Sequence[UUID]
    from_day: date
    to_day: date
    zone: str


def with_proposal(facts: Tables, proposal: Proposal, ids: Sequence[UUID] = (PROPOSED,)) -> Tables:
    """Return the facts, with at most one structure, and with the proposed one under each id."""
    make = _copied if facts["payout_structures"] else _new
    proposed = [make(facts, proposal, structure_id) for structure_id in ids]
    return {
        name: [*rows, *(row for tables in proposed for row in tables.get(name, ()))]
        for name, rows in facts.items()
    }


def _new(_facts: Tables, proposal: Proposal, structure_id: UUID) -> Tables:
    """Return a structure whose creators are assigned on all requested days."""
    owned = {"organization_id": proposal.organization_id}
    structure = {"id": structure_id, "project_id": proposal.project_id, "timezone": None}
    assignment = {"start_date": proposal.from_day, "end_date": proposal.to_day}
    return {
        "payout_structures": [{**owned, **structure}],
        "payout_versions": [_proposed_version(proposal, structure_id, number=1)],
        "payout_assignments": [
            {**owned, "structure_id": structure_id, "creator_id": creator, **assignment}
            for creator in proposal.creators
        ],
    }


def _copied(facts: Tables, proposal: Proposal, structure_id: UUID) -> Tables:
    """Return a structure that replaces the existing one."""
    tables = ("payout_assignments", "payout_payment_accruals")
    return {
        "payout_structures": [{**row, "id": structure_id} for row in facts["payout_structures"]],
        "payout_versions": _versions(facts["payout_versions"], proposal, structure_id),
        **{name: [{**row, "structure_id": structure_id} for row in facts[name]] for name in tables},
    }


def _versions(versions: Sequence[Row], proposal: Proposal, structure_id: UUID) -> Sequence[Row]:
    """Return the proposed version from the period with the first requested day.

    Earlier periods keep their version (money.md M4): it determines what is carried over.
    """
    begins_at = start_of(proposal.from_day, proposal.zone)
    in_order = sorted(versions, key=lambda version: version["number"])
    earlier = [
        dict(version, created_at=min(version["created_at"], begins_at - A_MOMENT))
        for version in in_order
        if version is in_order[0] or version["created_at"] < begins_at
    ]
    proposed = _proposed_version(proposal, structure_id, number=in_order[-1]["number"] + 1)
    return [
        *(version | _of_proposed(structure_id, version["number"]) for version in earlier),
        proposed,
    ]


def _proposed_version(proposal: Proposal, structure_id: UUID, *, number: int) -> Row:
    return {
        **{name: as_copied(value) for name, value in proposal.version.items()},
        **_of_proposed(structure_id, number),
        "organization_id": proposal.organization_id,
        "created_at": start_of(proposal.from_day, proposal.zone),
    }


def _of_proposed(structure_id: UUID, number: int) -> dict[str, Any]:
    """Return the fields of a proposed structure's version: models identify versions by id."""
    version_id = UUID(int=structure_id.int * MOST_VERSIONS + number)
    return {"id": version_id, "structure_id": structure_id, "number": number}
