"""What was written that no publication shows yet: it asks for a rollup, and goes with it.

A row of `unpublished_changes` is visible with the transaction that it tells of, never before. The
warehouse copies the rows in the same snapshot as what they tell of; those are forgotten once that
copy was published, however many were added meanwhile. Where there are several shards, they stay
until all have published such a copy: a shard that has asks for no further rollup.
"""

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
    any_,
    delete,
    literal,
    select,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import InstrumentedAttribute, Session
from sqlalchemy.types import BigInteger

from warehouse.operational.models import Shard, ShownChange, UnpublishedChange
from warehouse.operational.session import WriteSession
from warehouse.settings import MAIN_SHARD


class Waiting(NamedTuple):
    """The first and the last that wait; both are there as soon as one is."""

    first: int
    last: int


def waiting_changes(session: Session, shard: str | None) -> Waiting | None:
    """Return what waits for a publication of a shard; None where nothing does.

    A `shard` of None is `main`. Two looks into an index.
    """
    waits = ~_is_shown(literal(shard or MAIN_SHARD))
    ids = (UnpublishedChange.id.asc(), UnpublishedChange.id.desc())
    first, last = (
        select(UnpublishedChange.id).where(waits).order_by(order).limit(1).scalar_subquery()
        for order in ids
    )
    ends = session.execute(select(first.label("first"), last.label("last"))).one()
    return None if ends.first is None else Waiting(ends.first, ends.last)


def forget(session: WriteSession, ids: Collection[int], shard: str | None) -> None:
    """Take out what a publication shows by now, and those of all other shards show already."""
    published = UnpublishedChange.id == any_(literal(list(ids), ARRAY(BigInteger)))
    of_shard = Shard.name == (shard or MAIN_SHARD)
    pairs = select(UnpublishedChange.id, Shard.name).join(Shard, of_shard).where(published)
    session.execute(
        upsert(ShownChange).from_select(["change_id", "shard"], pairs).on_conflict_do_nothing()
    )
    lacks = select(Shard).where(~_is_shown(Shard.name)).correlate(UnpublishedChange).exists()
    session.execute(delete(UnpublishedChange).where(published, ~lacks))


def _is_shown(shard: ColumnElement[str] | InstrumentedAttribute[str]) -> ColumnElement[bool]:
    same_change = ShownChange.change_id == UnpublishedChange.id, ShownChange.shard == shard
    return select(ShownChange).where(*same_change).correlate(UnpublishedChange, Shard).exists()
