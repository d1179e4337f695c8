"""Commits batches' rows in PostgreSQL together with their registered forms, exactly once.

Shared by all that fills raw tables through `landing/registered` (scrapes, imports).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from uuid import UUID

import polars as pl
import stamina
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from warehouse.at_once import at_once
from warehouse.landing.landing import Landing
from warehouse.landing.writer import write_frames
from warehouse.operational.clock import refuse_wrong_dates
from warehouse.operational.models import RegisteredBatch
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore
from warehouse.registration.order import give_number, wait_turn

Frames = Mapping[str, pl.DataFrame]
Choose = Callable[[WriteSession, bool], Collection[UUID]]
Decide = Callable[[WriteSession, Sequence[UUID]], Iterable[Frames]]
PASSING = frozenset({"40001", "40P01", "23505", "25P03"})
"""SQLSTATEs solved by a retry: conflicts with other writers (serialization, deadlock, unique), and
the end of a transaction that was idle for LONGEST_IDLE.
"""


def register_once(
    store: OperationalStore, landing: Landing, kind: str, choose: Choose, decide: Decide
) -> list[UUID]:
    """Run `decide` for chosen batches in one transaction with their rows.

    Returns those that were not registered before, in their order. `choose` runs when no other
    process registers; its argument is whether one did so before.

    `decide` returns the frames of each registered batch, which are complete and on disk before the
    commit. Both are called again after a conflict with another writer. After a kill at any time,
    each batch is either registered with its form, or not registered and can be registered again.
    Raises WrongClockError, unless TRACKER_NOW fixes business time.
    """
    conflicts = stamina.retry_context(
        on=_is_passing, attempts=5, wait_initial=0.05, wait_jitter=0.05
    )  # other writers finish within a moment
    for attempt in conflicts:
        with attempt, store.write_session() as session:
            has_waited = wait_turn(session)
            refuse_wrong_dates(session)
            chosen = choose(session, has_waited)
            claimed = _claim(session, chosen, kind, store)
            if claimed:
                registered = zip(claimed, decide(session, claimed), strict=True)
                forms = list(at_once(partial(_store, landing), registered))
                for batch_id, form in zip(claimed, forms, strict=True):
                    give_number(session, batch_id, form)
    return claimed


def _store(landing: Landing, registered: tuple[UUID, Frames]) -> UUID | None:
    batch_id, frames = registered
    return landing.register(batch_id, partial(write_frames, frames))


def _claim(
    session: Session, batch_ids: Collection[UUID], kind: str, store: OperationalStore
) -> list[UUID]:
    """Insert the batches' rows. Returns those that had none."""
    if not batch_ids:
        return []
    row = {"kind": kind, "registered_at": store.clock()}
    statement = insert(RegisteredBatch).values([{"batch_id": i, **row} for i in batch_ids])
    claimed = session.scalars(
        statement.on_conflict_do_nothing().returning(RegisteredBatch.batch_id)
    )
    new = set(claimed)
    return [batch_id for batch_id in batch_ids if batch_id in new]


def _is_passing(error: Exception) -> bool:
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) in PASSING
