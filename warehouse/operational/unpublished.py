"""Changes that no publication shows yet: each requests a rollup, which clears it.

A row of `unpublished_changes` becomes visible with its transaction, never before. The warehouse
copies the rows in the same snapshot as the changed data; they are deleted once that copy is
published, however many were added meanwhile. With several shards they stay until all have
published such a copy; a shard that has requests no further rollup. A change triggers the shards of
organizations written since; others show it with their next rollup.
"""

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, any_, delete, exists, func, literal, or_, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import InstrumentedAttribute, Session
from sqlalchemy.types import BigInteger

from warehouse.operational.models import (
    OrganizationVersion,
    PublishedChange,
    Shard,
    ShardAssignment,
    UnpublishedChange,
)
from warehouse.operational.session import WriteSession
from warehouse.settings import MAIN_SHARD

AWAITED = "set local tracker.change_is_awaited = 'yes'"
"""Set in transactions of a person who then looks at the figures."""
LISTED = "conversions"
"""Programs record them one by one, and lists show them at once; only their sums wait."""


class Waiting(NamedTuple):
    """The first and last waiting change. `is_awaited`: by a person; `is_listed`: all are LISTED."""

    first: int
    last: int
    is_awaited: bool
    is_listed: bool


def waiting_changes(session: Session, shard: str | None) -> Waiting | None:
    """Return the changes that wait for a publication of a shard, or None.

    A `shard` of None is `main`. May include changes of other shards, if an organization of this
    shard wrote something later that is not copied.
    """
    name = shard or MAIN_SHARD
    row = session.execute(
        select(
            func.min(UnpublishedChange.id),
            func.max(UnpublishedChange.id),
            func.bool_or(UnpublishedChange.is_awaited),
            func.bool_and(UnpublishedChange.table_name == LISTED),
        ).where(~_is_published(literal(name)), _concerns(name))
    ).one()
    return None if row[0] is None else Waiting._make(row)


def is_of_shard(
    organization_id: ColumnElement[UUID] | InstrumentedAttribute[UUID], shard: str
) -> ColumnElement[bool]:
    """Return the condition that a shard builds an organization, or any project of it."""
    of_organization = ShardAssignment.organization_id == organization_id
    is_given = or_(ShardAssignment.shard == shard, ShardAssignment.served_by == shard)
    assigned = exists().where(of_organization, is_given)
    if shard != MAIN_SHARD:
        return assigned
    return assigned | ~exists().where(of_organization, ShardAssignment.project_id.is_(None))


def forget(session: WriteSession, ids: Collection[int], shard: str | None) -> None:
    """Mark changes as published by a shard, and delete those published by all shards."""
    published = UnpublishedChange.id == any_(literal(list(ids), ARRAY(BigInteger)))
    of_shard = Shard.name == (shard or MAIN_SHARD)
    pairs = select(UnpublishedChange.id, Shard.name).join(Shard, of_shard).where(published)
    session.execute(
        upsert(PublishedChange).from_select(["change_id", "shard"], pairs).on_conflict_do_nothing()
    )
    lacks = select(Shard).where(~_is_published(Shard.name)).correlate(UnpublishedChange).exists()
    session.execute(delete(UnpublishedChange).where(published, ~lacks))


def _concerns(shard: str) -> ColumnElement[bool]:
    """Return the condition that a change may concern the shard. Some belong to no organization."""
    last_writer = (
        select(func.max(OrganizationVersion.last_writer))
        .where(is_of_shard(OrganizationVersion.organization_id, shard))
        .scalar_subquery()
    )
    is_sharded = select(Shard).exists()
    is_of_all = UnpublishedChange.written_by == 0
    return or_(~is_sharded, is_of_all, UnpublishedChange.written_by <= last_writer)


def _is_published(shard: ColumnElement[str] | InstrumentedAttribute[str]) -> ColumnElement[bool]:
    same_change = PublishedChange.change_id == UnpublishedChange.id, PublishedChange.shard == shard
    return select(PublishedChange).where(*same_change).correlate(UnpublishedChange, Shard).exists()
