"""When somebody who was moved is a shard's alone: once a publication of it has them.

Until then who had them computes them too, so that they are never in no publication. Each change of
who computes whom asks all shards for a rollup, as what people decide does.
"""

from sqlalchemy import delete, select, text, update
from sqlalchemy.orm import Session

from warehouse.operational.models import ShardAssignment, UnpublishedChange
from warehouse.settings import MAIN_SHARD
from warehouse.shards.members import digest_of, members_of


def hand_over(session: Session, shard: str | None, published: str | None) -> None:
    """Let a shard alone have whom it was given, since those whom it `published` are its members.

    That is their digest (members.py). Where they are not quite those of today, whoever was given
    since is not in the publication: the next one hands over. Raises UnknownShardError.
    """
    name = shard or MAIN_SHARD
    given = (ShardAssignment.shard == name) & (ShardAssignment.served_by != name)
    if session.scalars(select(ShardAssignment.id).where(given).limit(1)).first() is None:
        return
    lock_assignments(session)
    if digest_of(members_of(session, shard)) != published:
        return
    session.execute(update(ShardAssignment).where(given).values(served_by=name))
    is_as_unassigned = (
        (ShardAssignment.shard == MAIN_SHARD)
        & (ShardAssignment.served_by == MAIN_SHARD)
        & ShardAssignment.project_id.is_(None)
    )
    session.execute(delete(ShardAssignment).where(is_as_unassigned))
    ask_for_rollups(session)


def ask_for_rollups(session: Session) -> None:
    """Let each shard compute whom it has by now."""
    session.add(UnpublishedChange(table_name=ShardAssignment.__tablename__, written_by=0))


def lock_assignments(session: Session) -> None:
    """Let nobody else change who computes whom until the transaction ends; readers go on."""
    session.execute(text("lock table shard_assignments in share row exclusive mode"))
