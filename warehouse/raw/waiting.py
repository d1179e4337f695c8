"""Batches that wait to be ingested, in the order of their numbers (registration/order.py).

Models read batches after the last number they saw, so each batch needs a number higher than all
ingested before it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

import duckdb
from sqlalchemy import select

from warehouse.landing.batches import Batch
from warehouse.landing.landing import Landing
from warehouse.operational.models import RegisteredBatch
from warehouse.operational.store import OperationalStore
from warehouse.raw.copied_shard import copied_to
from warehouse.registration.order import newest_number, renumber, without_number


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingBatch:
    """A batch whose registration is committed and which the warehouse lacks."""

    batch: Batch
    batch_seq: int
    kind: str


def waiting(
    store: OperationalStore, landing: Landing, connection: duckdb.DuckDBPyConnection
) -> list[WaitingBatch]:
    """Return the batches to ingest now, without uncommitted ones.

    A batch whose number is too low gets a new one: those older than PostgreSQL's numbering, of a
    database older than the warehouse, and rejected ones that return. One registered after a
    shard's copies waits for the next ones.
    """
    last = last_number(connection)
    with store.read_session() as session:
        newest = newest_number(session)  # before the listing, which may miss newer batches
    up_to = copied_to(connection)
    newest = newest if up_to is None else min(newest, up_to)
    batches = _lacking(connection, landing.registered())
    registrations = registrations_of(store, [batch_id for batch_id, _ in batches])
    late = {row.batch_id for row in registrations if (row.batch_seq or 0) <= last}
    if late:
        _renumber(store, connection, late, last)
        return waiting(store, landing, connection)
    return [
        WaitingBatch(batch=batch, batch_seq=row.batch_seq, kind=row.kind)
        for row in registrations
        if row.batch_seq is not None and row.batch_seq <= newest
        if (batch := batches.get((row.batch_id, row.form)) or batches.get((row.batch_id, None)))
    ]


def note_numbers(store: OperationalStore, connection: duckdb.DuckDBPyConnection) -> None:
    """Tell PostgreSQL the numbers of batches ingested before it assigned them."""
    with store.read_session() as session:
        unnumbered = without_number(session)
    if unnumbered and _numbers(connection, unnumbered):
        _renumber(store, connection, (), last_number(connection))


def registrations_of(store: OperationalStore, ids: Collection[UUID]) -> list[RegisteredBatch]:
    """Return the committed registrations among these batches, in the order of their numbers."""
    statement = (
        select(RegisteredBatch)
        .where(RegisteredBatch.batch_id.in_(ids))
        .order_by(RegisteredBatch.batch_seq)
    )
    with store.read_session() as session:
        return list(session.scalars(statement))


def _lacking(
    connection: duckdb.DuckDBPyConnection, batches: list[Batch]
) -> dict[tuple[UUID, UUID | None], Batch]:
    ingested = _numbers(connection, [batch.batch_id for batch in batches])
    lacking = [batch for batch in batches if batch.batch_id not in ingested]
    return {(batch.batch_id, batch.form): batch for batch in lacking}


def _renumber(
    store: OperationalStore,
    connection: duckdb.DuckDBPyConnection,
    late: Collection[UUID],
    last: int,
) -> None:
    with store.write_session() as session:
        counted = _numbers(connection, without_number(session))
        renumber(session, counted, late, behind=last)


def last_number(connection: duckdb.DuckDBPyConnection) -> int:
    """Return the highest ingested number; 0 is none."""
    [(number,)] = connection.execute(
        "select coalesce(max(batch_seq), 0) from raw.batches"
    ).fetchall()
    return int(number)


def _numbers(connection: duckdb.DuckDBPyConnection, ids: Collection[UUID]) -> dict[UUID, int]:
    """Return the numbers of those of the batches that are ingested."""
    cursor = connection.execute(
        "select batch_id, batch_seq from raw.batches where batch_id in (select unnest(?::uuid[]))",
        [list(ids)],
    )
    return dict(cursor.fetchall())
