"""The order in which batches count: one number each, given in the transaction that registers it.

Numbers are given one after the other, so whoever sees one knows that all smaller ones are committed
too. A number is given once: what is set aside keeps it, and no other batch ever gets it.
"""

from collections.abc import Iterable, Mapping
from uuid import UUID

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from warehouse.operational.models import RegisteredBatch

ONE_AT_A_TIME = 0x7265_6769_7374_6572
"""Advisory lock of the registering transaction: batches touch the same accounts and posts."""

# Those of before numbers were given here have none: theirs are at most as many as they are.
NEXT = """
update registered_batches set form = coalesce(:form, form), batch_seq = greatest(
    :behind + 1,
    coalesce(
        (select max(batch_seq) + 1 from registered_batches),
        (select count(*) from registered_batches)
    )
) where batch_id = :batch_id
"""
ADOPT = """
update registered_batches set batch_seq = counted.batch_seq
from unnest(cast(:ids as uuid[]), cast(:numbers as bigint[])) as counted (batch_id, batch_seq)
where registered_batches.batch_id = counted.batch_id and registered_batches.batch_seq is null
"""


def wait_turn(session: Session) -> None:
    """Wait until nobody else registers anything, and keep others waiting until the commit."""
    session.execute(text("select pg_advisory_xact_lock(:key)"), {"key": ONE_AT_A_TIME})


def give_number(
    session: Session, batch_id: UUID, form: UUID | None = None, *, behind: int = 0
) -> None:
    """Give a batch, whose row is there, the next number, which is higher than `behind`.

    `form` is which attempt at it counts, where a landing zone keeps several.
    """
    wait_turn(session)
    session.execute(text(NEXT), {"batch_id": batch_id, "form": form, "behind": behind})


def newest_number(session: Session) -> int:
    """Return the highest number that was given; 0 if there is none."""
    return session.scalar(select(func.max(RegisteredBatch.batch_seq))) or 0


def without_number(session: Session) -> list[UUID]:
    """Return the batches that were registered before numbers were given here."""
    unnumbered = RegisteredBatch.batch_seq.is_(None)
    return list(session.scalars(select(RegisteredBatch.batch_id).where(unnumbered)))


def renumber(
    session: Session, counted: Mapping[UUID, int], late: Iterable[UUID], *, behind: int
) -> None:
    """Note the numbers under which batches were counted, and give the late ones new numbers."""
    wait_turn(session)
    late = sorted(late)
    for row in session.scalars(select(RegisteredBatch).where(RegisteredBatch.batch_id.in_(late))):
        row.batch_seq = None  # it may be another's, who was counted under it
    session.flush()
    session.execute(text(ADOPT), {"ids": list(counted), "numbers": list(counted.values())})
    for batch_id in late:
        give_number(session, batch_id, behind=behind)
