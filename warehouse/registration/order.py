"""Numbers batches in their order, each in the transaction that registers it.

Numbers are assigned one at a time, so if one is visible, all smaller ones are committed. A number
is assigned once. That of a batch set aside is negative, because shards may pass it: a batch that
returns gets a new one.
"""

from collections.abc import Collection, Iterable, Mapping
from uuid import UUID

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from warehouse.operational.models import RegisteredBatch

ONE_AT_A_TIME = 0x7265_6769_7374_6572
"""Advisory lock of the registering transaction, because batches touch the same accounts and posts.
"""
TRY_TURN = "select pg_try_advisory_xact_lock(:key)"
AWAIT_TURN = "select pg_advisory_xact_lock(:key)"

# Batches older than the numbering have no number; theirs are at most their count. Rows of this
# transaction are numbered one after the other.
NEXT = """
update registered_batches set form = coalesce(:form, form), batch_seq = greatest(
    :behind + 1,
    coalesce(
        (select greatest(max(batch_seq), -min(batch_seq)) + 1 from registered_batches),
        (select 1 + count(*) from registered_batches where xmin <> pg_current_xact_id()::xid)
    )
) where batch_id = :batch_id
"""
# Older versions give the number of a batch set aside to another one, if it was the highest.
ASIDE = """
update registered_batches as aside set batch_seq = -abs(batch_seq)
where batch_id = any(cast(:ids as uuid[])) and not exists (
    select from registered_batches as other where other.batch_seq = -abs(aside.batch_seq)
)
"""
ADOPT = """
update registered_batches set batch_seq = counted.batch_seq
from unnest(cast(:ids as uuid[]), cast(:numbers as bigint[])) as counted (batch_id, batch_seq)
where registered_batches.batch_id = counted.batch_id and registered_batches.batch_seq is null
"""


def wait_turn(session: Session) -> bool:
    """Wait until no other process registers, and block others until the commit.

    Returns whether it had to wait.
    """
    values = {"key": ONE_AT_A_TIME}
    if session.scalar(text(TRY_TURN), values):
        return False
    session.execute(text(AWAIT_TURN), values)
    return True


def give_number(
    session: Session, batch_id: UUID, form: UUID | None = None, *, behind: int = 0
) -> None:
    """Assign the next number, higher than `behind`, to a batch with a row.

    `form` is the attempt that counts, if the landing zone stores several.
    """
    wait_turn(session)
    session.execute(text(NEXT), {"batch_id": batch_id, "form": form, "behind": behind})


def newest_number(session: Session) -> int:
    """Return the highest assigned number; 0 if there is none."""
    return session.scalar(select(func.greatest(func.max(RegisteredBatch.batch_seq), 0))) or 0


def set_aside(session: Session, batch_ids: Collection[UUID]) -> None:
    """Take rejected batches out of the order."""
    session.execute(text(ASIDE), {"ids": list(batch_ids)})


def without_number(session: Session) -> list[UUID]:
    """Return the batches registered before the numbering."""
    unnumbered = RegisteredBatch.batch_seq.is_(None)
    return list(session.scalars(select(RegisteredBatch.batch_id).where(unnumbered)))


def renumber(
    session: Session, counted: Mapping[UUID, int], late: Iterable[UUID], *, behind: int
) -> None:
    """Assign new numbers to late batches, and record those of ingested batches.

    In this order, because an ingested batch may have the old number of a late one.
    """
    wait_turn(session)
    for batch_id in sorted(late):
        give_number(session, batch_id, behind=behind)
    session.execute(text(ADOPT), {"ids": list(counted), "numbers": list(counted.values())})
