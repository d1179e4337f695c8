"""The decisions that a simulation needs, as PostgreSQL has them now."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Table, select, true, union
from sqlalchemy.orm import Session

from warehouse.catalogue.copied import COPIED_IN
from warehouse.catalogue.operational import FOLLOWED
from warehouse.operational.base import Base
from warehouse.simulation.inputs import Row

IN_PROJECT = ("accounts", "conversion_events")
OF_CREATORS = ("conversions", "goal_states", "payout_pauses")
OF_STRUCTURE = ("payout_versions",)
OF_PAYEES = ("payout_assignments", "payout_payment_accruals")
OF_POSTS = ("video_owners", "video_statuses")

COLUMNS = {
    table.name: [column.name for column in table.columns if column != COPIED_IN]
    for table in FOLLOWED
}


def decided(
    session: Session,
    organization_id: UUID,
    project_id: UUID,
    creators: Sequence[UUID],
    structure_id: UUID | None,
) -> dict[str, list[Row]]:
    """Return rows of `operational` tables for some creators of a project and their structure.

    Without a structure id, no structure is returned.
    """
    conditions = _conditions(project_id, creators, structure_id)
    return {
        name: _rows(session, organization_id, name, condition)
        for name, condition in conditions.items()
    }


def _conditions(
    project_id: UUID, creators: Sequence[UUID], structure_id: UUID | None
) -> Mapping[str, ColumnElement[bool]]:
    videos, owners = _table("videos"), _table("video_owners")
    posts = union(
        select(videos.c.id).where(videos.c.creator_id.in_(creators)),
        select(owners.c.video_id).where(owners.c.creator_id.in_(creators)),
    )
    accounts = select(_table("accounts").c.id).where(_table("accounts").c.project_id == project_id)
    deactivated = _table("account_deactivations").c.account_id
    conditions: dict[str, ColumnElement[bool]] = {
        "organizations": true(),
        "organization_conversion_payouts": true(),
        "payout_structures": _table("payout_structures").c.id == structure_id,
        "videos": videos.c.id.in_(posts),
        "account_deactivations": deactivated.in_(accounts),
    }
    conditions |= {name: _table(name).c.project_id == project_id for name in IN_PROJECT}
    conditions |= {name: _table(name).c.creator_id.in_(creators) for name in OF_CREATORS}
    conditions |= {name: _table(name).c.structure_id == structure_id for name in OF_STRUCTURE}
    conditions |= {
        name: (_table(name).c.structure_id == structure_id)
        & _table(name).c.creator_id.in_(creators)
        for name in OF_PAYEES
    }
    return conditions | {name: _table(name).c.video_id.in_(posts) for name in OF_POSTS}


def _table(name: str) -> Table:
    return Base.metadata.tables[name]


def _rows(
    session: Session, organization_id: UUID, name: str, condition: ColumnElement[bool]
) -> list[Row]:
    table = _table(name)
    owner = table.c.id if name == "organizations" else table.c.organization_id
    columns = [table.c[column] for column in COLUMNS[name]]
    rows = session.execute(select(*columns).where(owner == organization_id, condition))
    return [{column: as_copied(value) for column, value in row.items()} for row in rows.mappings()]


def as_copied(value: Any) -> Any:
    """Return a value as the copies have it: JSON as text."""
    return json.dumps(value) if isinstance(value, dict | list) else value
