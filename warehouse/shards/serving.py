"""When a moved member belongs to its new shard alone: once that shard has published it.

Until then the old shard computes it too, so it is always in a publication. Each change of an
assignment requests a rollup from all shards, as people's decisions do.
"""

from sqlalchemy import delete, select, text, update
from sqlalchemy.orm import Session

from warehouse.operational.models import ShardAssignment, UnpublishedChange
from warehouse.settings import MAIN_SHARD
from warehouse.shards.members import digest_of, members_of


def hand_over(session: Session, shard: str | None, published: str | None) -> None:
    """Complete the moves to a shard if the members it `published` are its current ones.

    `published` is their digest (members.py). If it differs from the current one, members assigned
    since are not in the publication: another one completes the moves. It is requested here, because
    a copy may have the change of a move that its members lack. Raises UnknownShardError.
    """
    name = shard or MAIN_SHARD
    given = (ShardAssignment.shard == name) & (ShardAssignment.served_by != name)
    if session.scalars(select(ShardAssignment.id).where(given).limit(1)).first() is None:
        return
    lock_assignments(session)
    if digest_of(members_of(session, shard)) != published:
        ask_for_rollups(session)
        return
    session.execute(update(ShardAssignment).where(given).values(served_by=name))
    is_as_unassigned = (ShardAssignment.shard == MAIN_SHARD) & (
        ShardAssignment.served_by == MAIN_SHARD
    )
    session.execute(delete(ShardAssignment).where(is_as_unassigned))
    ask_for_rollups(session)


def ask_for_rollups(session: Session) -> None:
    """Request a rollup, so each shard computes its current members."""
    session.add(UnpublishedChange(table_name=ShardAssignment.__tablename__))


def lock_assignments(session: Session) -> None:
    """Keep others from changing assignments until the transaction ends; they can still read."""
    session.execute(text("lock table shard_assignments in share row exclusive mode"))
