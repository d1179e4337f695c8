"""Commits a batch's row in PostgreSQL together with its registered form, exactly once.

Shared by all that fills raw tables through `landing/registered` (scrapes, imports).
"""

from collections.abc import Callable, Mapping
from functools import partial
from uuid import UUID

import polars as pl
import stamina
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from warehouse.landing.landing import Landing
from warehouse.landing.writer import write_frames
from warehouse.operational.models import RegisteredBatch
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore
from warehouse.registration.order import give_number

Frames = Mapping[str, pl.DataFrame]
Decide = Callable[[WriteSession], Frames]
PASSING = frozenset({"40001", "40P01", "23505"})
"""SQLSTATEs of conflicts with other writers (serialization, deadlock, unique), solved by a retry.
"""


def register_once(
    store: OperationalStore, landing: Landing, batch_id: UUID, kind: str, decide: Decide
) -> bool:
    """Run `decide` in one transaction with the batch's row.

    Returns False if it was registered before.

    `decide` returns the frames of the registered batch, which is complete and on disk before the
    commit. It is called again after a conflict with another writer. After a kill at any time, the
    batch is either registered with its form, or not registered and can be registered again.
    """
    conflicts = stamina.retry_context(
        on=_is_passing, attempts=5, wait_initial=0.05, wait_jitter=0.05
    )  # other writers finish within a moment
    for attempt in conflicts:
        with attempt, store.write_session() as session:
            if not _claim(session, batch_id, kind, store):
                return False
            form = landing.register(batch_id, partial(write_frames, decide(session)))
            give_number(session, batch_id, form)
    return True


def _claim(session: Session, batch_id: UUID, kind: str, store: OperationalStore) -> bool:
    """Insert the batch's row. Concurrent registrations of the same batch wait here."""
    row = {"batch_id": batch_id, "kind": kind, "registered_at": store.clock()}
    statement = insert(RegisteredBatch).values(row).on_conflict_do_nothing()
    return session.execute(statement.returning(RegisteredBatch.batch_id)).first() is not None


def _is_passing(error: Exception) -> bool:
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) in PASSING
