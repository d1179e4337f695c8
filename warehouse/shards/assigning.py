"""Adds and removes shards, and moves members between them.

A move is a row. The receiver builds the member from its next run on; the giver continues until a
publication of the receiver has it (serving.py), so numbers are always available.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import delete, exists, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from warehouse.operational.models import Shard, ShardAssignment, SharedPublication
from warehouse.operational.session import WriteSession
from warehouse.settings import MAIN_SHARD
from warehouse.shards.serving import ask_for_rollups, lock_assignments

NAME = re.compile("[a-z0-9-]{1,40}")


class NotAssignableError(ValueError):
    """The change of shards is impossible; the message says why."""


@dataclass(frozen=True)
class Move:
    """An organization that moves between shards."""

    organization_id: UUID
    giver: str
    receiver: str


def add_shard(session: WriteSession, name: str) -> None:
    """Add a shard without members. The first one also adds the row of `main`.

    From then on batches are archived only once it has ingested them too. Raises
    NotAssignableError.
    """
    if not NAME.fullmatch(name):
        raise NotAssignableError(f"{name!r} is not a valid name: use 1 to 40 of a-z, 0-9 and -")
    lock_assignments(session)
    if name == MAIN_SHARD or session.get(Shard, name) is not None:
        raise NotAssignableError(f"shard {name} already exists")
    session.execute(insert(Shard).values(name=MAIN_SHARD).on_conflict_do_nothing())
    session.add(Shard(name=name))
    session.flush()


def remove_shard(session: WriteSession, name: str) -> None:
    """Remove a shard without members. With the last one the row of `main` goes too.

    Raises NotAssignableError.
    """
    require_shard(session, name)
    lock_assignments(session)
    if name == MAIN_SHARD:
        raise NotAssignableError(
            "main cannot be removed: it has everything that other shards do not"
        )
    of_it = or_(ShardAssignment.shard == name, ShardAssignment.served_by == name)
    if session.scalar(select(exists().where(of_it))):
        raise NotAssignableError(
            f"{name} still has members, or serves some until others have published them: "
            "see `tracker shard list`"
        )
    session.execute(delete(SharedPublication).where(SharedPublication.shard == name))
    session.execute(delete(Shard).where(Shard.name == name))
    if not session.scalar(select(exists().where(Shard.name != MAIN_SHARD))):
        session.execute(delete(ShardAssignment))
        session.execute(delete(Shard))


def planned_move(session: Session, organization_id: UUID, receiver: str) -> Move:
    """Return the move of an organization to a shard. Raises NotAssignableError."""
    require_shard(session, receiver)
    giver = _giver(session, organization_id)
    if giver == receiver:
        raise NotAssignableError(f"it is already in {receiver}")
    return Move(organization_id, giver, receiver)


def carry_out(session: WriteSession, moves: Sequence[Move]) -> None:
    """Assign the moves, unless they changed meanwhile. Raises NotAssignableError."""
    if not moves:
        return
    lock_assignments(session)
    ask_for_rollups(session)
    for move in moves:
        if _giver(session, move.organization_id) != move.giver:
            raise NotAssignableError("it was moved meanwhile: see `tracker shard list`")
        row = insert(ShardAssignment).values(
            organization_id=move.organization_id, shard=move.receiver, served_by=move.giver
        )
        session.execute(
            row.on_conflict_do_update(
                index_elements=["organization_id", "project_id"], set_={"shard": move.receiver}
            )
        )


def require_shard(session: Session, name: str) -> None:
    """Raise NotAssignableError for an unknown shard. `main` always exists."""
    if name != MAIN_SHARD and session.get(Shard, name) is None:
        raise NotAssignableError(
            f"there is no shard {name}: add it with `tracker shard add {name}`"
        )


def _giver(session: Session, organization_id: UUID) -> str:
    """Return the shard of a member. Raises NotAssignableError while it moves."""
    of_it = ShardAssignment.organization_id == organization_id
    row = session.scalar(select(ShardAssignment).where(of_it))
    if row is None:
        return MAIN_SHARD
    if row.shard != row.served_by:
        raise NotAssignableError(
            f"it is moving from {row.served_by} to {row.shard}, until the next publication of "
            f"{row.shard}"
        )
    return row.shard
