"""Changes that no publication shows yet: each requests a rollup, which clears it.

A row of `unpublished_changes` becomes visible with its transaction, never before. The warehouse
copies the rows in the same snapshot as the changed data; they are deleted once that copy is
published, however many were added meanwhile. A change concerns the shards of the organizations
whose rows it wrote last; one that deleted rows or moved a member concerns all. It stays until all
of them have published such a copy; a shard that has requests no further rollup. Other shards copy
it with their next rollup.
"""

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Subquery,
    any_,
    delete,
    exists,
    false,
    func,
    literal,
    or_,
    select,
    text,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import InstrumentedAttribute, Session
from sqlalchemy.types import BigInteger

from warehouse.operational.base import Base, Followed
from warehouse.operational.models import (
    Departure,
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

    A `shard` of None is `main`.
    """
    name = shard or MAIN_SHARD
    row = session.execute(
        select(
            func.min(UnpublishedChange.id),
            func.max(UnpublishedChange.id),
            func.bool_or(UnpublishedChange.is_awaited),
            func.bool_and(UnpublishedChange.table_name == LISTED),
        ).where(~_is_published(name), _concerns(name))
    ).one()
    return None if row[0] is None else Waiting._make(row)


def is_of_shard(
    organization_id: ColumnElement[UUID] | InstrumentedAttribute[UUID], shard: str
) -> ColumnElement[bool]:
    """Return the condition that a shard builds an organization."""
    of_organization = ShardAssignment.organization_id == organization_id
    is_given = or_(ShardAssignment.shard == shard, ShardAssignment.served_by == shard)
    assigned = exists().where(of_organization, is_given)
    if shard != MAIN_SHARD:
        return assigned
    return assigned | ~exists().where(of_organization)


def forget(session: WriteSession, ids: Collection[int], shard: str | None) -> None:
    """Mark changes as published by a shard, and delete those that no shard lacks.

    One shard at a time: otherwise one deletes what another marks.
    """
    session.execute(text("lock table shown_changes in share row exclusive mode"))
    published = UnpublishedChange.id == any_(literal(list(ids), ARRAY(BigInteger)))
    of_shard = Shard.name == (shard or MAIN_SHARD)
    pairs = select(UnpublishedChange.id, Shard.name).join(Shard, of_shard).where(published)
    session.execute(
        upsert(PublishedChange).from_select(["change_id", "shard"], pairs).on_conflict_do_nothing()
    )
    # Joined by name, PostgreSQL 18 reads the assignments for each change and shard.
    names = session.scalars(select(Shard.name)).all()
    lacks = or_(false(), *(~_is_published(name) & _concerns(name) for name in names))
    session.execute(delete(UnpublishedChange).where(published, ~lacks))


def _concerns(shard: str) -> ColumnElement[bool]:
    """Return the condition that a change concerns the shard."""
    transaction, organization_id = _written().c
    is_of_change = transaction == UnpublishedChange.written_by
    deletes = Departure.changed_by == UnpublishedChange.written_by
    return or_(
        ~select(Shard).exists(),
        UnpublishedChange.table_name == ShardAssignment.__tablename__,
        select(Departure).where(deletes).exists(),
        select(transaction).where(is_of_change, is_of_shard(organization_id, shard)).exists(),
    )


def _written() -> Subquery:
    """Return (transaction, organization) of all copied rows."""
    mappers = (each for each in Base.registry.mappers if issubclass(each.class_, Followed))
    rows = (each.local_table.c for each in mappers)
    owners = ((row, "organization_id" if "organization_id" in row else "id") for row in rows)
    return union_all(*(select(row.changed_by, row[owner]) for row, owner in owners)).subquery()


def _is_published(shard: str) -> ColumnElement[bool]:
    same_change = PublishedChange.change_id == UnpublishedChange.id, PublishedChange.shard == shard
    return select(PublishedChange).where(*same_change).correlate(UnpublishedChange).exists()
