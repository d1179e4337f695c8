"""What was written that no publication shows yet: it asks for a rollup, and goes with it.

A row of `unpublished_changes` is visible with the transaction that it tells of, never before. The
warehouse copies the rows in the same snapshot as what they tell of; those are forgotten once that
copy was published, however many were added meanwhile.
"""

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import any_, delete, func, literal, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session
from sqlalchemy.types import BigInteger

from warehouse.operational.models import UnpublishedChange
from warehouse.operational.session import WriteSession


class Waiting(NamedTuple):
    """The first and the last that wait; both are there as soon as one is."""

    first: int
    last: int


def waiting_changes(session: Session) -> Waiting | None:
    """Return what waits for a publication; None where nothing does. Two looks into an index."""
    ends = select(func.min(UnpublishedChange.id), func.max(UnpublishedChange.id))
    first, last = session.execute(ends).one()
    return None if first is None else Waiting(first, last)


def forget(session: WriteSession, ids: Collection[int]) -> None:
    """Take out what a publication shows by now."""
    published = literal(list(ids), ARRAY(BigInteger))
    session.execute(delete(UnpublishedChange).where(UnpublishedChange.id == any_(published)))
