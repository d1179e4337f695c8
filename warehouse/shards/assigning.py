"""Changes of who computes whom: shards that are made and removed, and members that move.

A move is a row. The receiver computes the member from its next run on, the giver goes on until
a publication of the receiver's has it (serving.py): no numbers are missing in between.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import delete, exists, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from warehouse.operational.models import (
    Organization,
    Project,
    Shard,
    ShardAssignment,
    SharedPublication,
)
from warehouse.operational.session import WriteSession
from warehouse.settings import MAIN_SHARD
from warehouse.shards.serving import ask_for_rollups, lock_assignments

NAME = re.compile("[a-z0-9-]{1,40}")


class NotAssignableError(ValueError):
    """What was asked for cannot be done to the shards as they are; the message says why."""


@dataclass(frozen=True)
class Move:
    """An organization, or one project of it, that goes from one shard to another."""

    organization_id: UUID
    project_id: UUID | None
    giver: str
    receiver: str


def add_shard(session: WriteSession, name: str) -> None:
    """Make a shard without members; `main` gets its row with the first. Raises NotAssignableError.

    Batches are archived from then on once it has ingested them too.
    """
    if not NAME.fullmatch(name):
        raise NotAssignableError(f"{name!r} is no name: 1 to 40 of a-z, 0-9 and -")
    if name == MAIN_SHARD or session.get(Shard, name) is not None:
        raise NotAssignableError(f"there is a shard {name} already")
    session.execute(insert(Shard).values(name=MAIN_SHARD).on_conflict_do_nothing())
    session.add(Shard(name=name))
    session.flush()


def remove_shard(session: WriteSession, name: str) -> None:
    """Remove a shard without members, and after the last one `main`'s row: nothing is sharded then.

    Raises NotAssignableError.
    """
    require_shard(session, name)
    lock_assignments(session)
    if name == MAIN_SHARD:
        raise NotAssignableError("main has all that others have not: it goes with the last of them")
    of_it = or_(ShardAssignment.shard == name, ShardAssignment.served_by == name)
    if session.scalar(select(exists().where(of_it))):
        raise NotAssignableError(
            f"{name} has members, or is asked about some until others have published them: "
            "see `tracker shard list`"
        )
    session.execute(delete(SharedPublication).where(SharedPublication.shard == name))
    session.execute(delete(Shard).where(Shard.name == name))
    if not session.scalar(select(exists().where(Shard.name != MAIN_SHARD))):
        session.execute(delete(ShardAssignment))
        session.execute(delete(Shard))


def planned_move(session: Session, member: Organization | Project, receiver: str) -> Move:
    """Return the move of an organization, or of a project, to a shard. Raises NotAssignableError.

    Projects of an organization that have a shard of their own stay there.
    """
    require_shard(session, receiver)
    if isinstance(member, Project):
        organization_id, project_id = member.organization_id, member.id
    else:
        organization_id, project_id = member.id, None
    giver = _giver(session, organization_id, project_id)
    if giver == receiver:
        raise NotAssignableError(f"it is in {receiver} already")
    return Move(organization_id, project_id, giver, receiver)


def carry_out(session: WriteSession, moves: Sequence[Move]) -> None:
    """Assign whom the moves name, unless somebody was faster. Raises NotAssignableError."""
    if not moves:
        return
    lock_assignments(session)
    ask_for_rollups(session)
    for move in moves:
        if _giver(session, move.organization_id, move.project_id) != move.giver:
            raise NotAssignableError("somebody moved it meanwhile: see `tracker shard list`")
        row = insert(ShardAssignment).values(
            organization_id=move.organization_id,
            project_id=move.project_id,
            shard=move.receiver,
            served_by=move.giver,
        )
        session.execute(
            row.on_conflict_do_update(
                index_elements=["organization_id", "project_id"], set_={"shard": move.receiver}
            )
        )


def require_shard(session: Session, name: str) -> None:
    """Raise NotAssignableError where there is no such shard; `main` is always there."""
    if name != MAIN_SHARD and session.get(Shard, name) is None:
        raise NotAssignableError(f"there is no shard {name}: make it by `tracker shard add {name}`")


def _giver(session: Session, organization_id: UUID, project_id: UUID | None) -> str:
    """Return whose a member is. Raises NotAssignableError while it moves."""
    is_whole = ShardAssignment.project_id.is_(None)
    row = session.scalars(
        select(ShardAssignment)
        .where(
            ShardAssignment.organization_id == organization_id,
            or_(is_whole, ShardAssignment.project_id == project_id),
        )
        .order_by(is_whole, ShardAssignment.id)
        .limit(1)
    ).first()
    if row is None:
        return MAIN_SHARD
    if row.shard != row.served_by:
        raise NotAssignableError(
            f"it moves from {row.served_by} to {row.shard}: that ends with the next publication "
            f"of {row.shard}"
        )
    return row.shard
