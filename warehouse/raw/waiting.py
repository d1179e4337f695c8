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
from warehouse.landing.opening import open_landing
from warehouse.operational.models import RegisteredBatch
from warehouse.operational.store import OperationalStore
from warehouse.raw.copied_shard import copied_to
from warehouse.raw.inserting import last_number
from warehouse.raw.sharing import archive_locked, fetch_archived, note_ingested
from warehouse.registration.order import newest_number, renumber, set_aside, without_number
from warehouse.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingBatch:
    """A batch whose registration is committed and which the warehouse lacks."""

    batch: Batch
    batch_seq: int
    kind: str


def waiting(
    store: OperationalStore, settings: Settings, connection: duckdb.DuckDBPyConnection
) -> list[WaitingBatch]:
    """Return the batches to ingest now, without uncommitted ones; insert archived ones first.

    No number is passed over while its batch is registered or archived, even if another process
    moves batches: a builder that lost its lease may archive at any time, as a bucket cannot refuse
    it. So `registered`, which builders only take from, is listed first: what is missing there is in
    the archive, which is read next. What is moved after the listing raises FileNotFoundError when
    it is fetched: list again. Live builders archive nothing that this shard lacks, because its
    progress is recorded before.

    A batch whose number is too low gets a new one: those older than PostgreSQL's numbering, of a
    database older than the warehouse, and rejected ones that return, also where a shard has them
    under their old number. One registered after a shard's copies waits for the next ones.
    """
    note_ingested(store, settings, connection)
    landing = open_landing(settings)
    _set_aside(store, landing, connection)
    with archive_locked(store):
        with store.read_session() as session:
            newest = newest_number(session)  # before the listing, which may miss newer batches
        up_to = copied_to(connection)
        newest = newest if up_to is None else min(newest, up_to)
        registered = _registered(store, landing)
        numbers = {row.batch_seq for row, _ in registered}
        fetch_archived(store, settings, connection, newest=newest, waiting=numbers)
    last = last_number(connection)
    ingested = _numbers(connection, [row.batch_id for row, _ in registered])
    lacking = [(row, batch) for row, batch in registered if batch.batch_id not in ingested]
    if late := {
        row.batch_id
        for row, _ in registered
        if (row.batch_seq or 0) <= (-1 if row.batch_id in ingested else last)
    }:
        _renumber(store, connection, late, last)
        return waiting(store, settings, connection)
    return [
        WaitingBatch(batch=batch, batch_seq=row.batch_seq, kind=row.kind)
        for row, batch in lacking
        if row.batch_seq is not None and row.batch_seq <= newest
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


def _registered(store: OperationalStore, landing: Landing) -> list[tuple[RegisteredBatch, Batch]]:
    """Return the batches in `registered` in their committed form, in the order of their numbers."""
    batches = {(batch.batch_id, batch.form): batch for batch in landing.registered()}
    return [
        (row, batch)
        for row in registrations_of(store, [batch_id for batch_id, _ in batches])
        if (batch := batches.get((row.batch_id, row.form)) or batches.get((row.batch_id, None)))
    ]


def _set_aside(
    store: OperationalStore, landing: Landing, connection: duckdb.DuckDBPyConnection
) -> None:
    """Take rejected batches out of the order, because shards pass them before they return.

    Their builder does so itself, unless it was killed or is of an older version. One that is also
    in another place was copied instead of moved.
    """
    rejected = registrations_of(store, landing.rejected_ids())
    lacking = {row.batch_id for row in rejected if (row.batch_seq or 0) > 0}
    lacking -= _numbers(connection, lacking).keys()
    if lacking:
        lacking -= {row.batch_id for row, _ in _registered(store, landing)}
        lacking -= {batch.batch_id for each in landing.segments() for batch in each.batches}
        with store.write_session() as session:
            set_aside(session, lacking)


def _renumber(
    store: OperationalStore,
    connection: duckdb.DuckDBPyConnection,
    late: Collection[UUID],
    last: int,
) -> None:
    with store.write_session() as session:
        counted = _numbers(connection, without_number(session))
        renumber(session, counted, late, behind=last)


def _numbers(connection: duckdb.DuckDBPyConnection, ids: Collection[UUID]) -> dict[UUID, int]:
    """Return the numbers of those of the batches that are ingested."""
    cursor = connection.execute(
        "select batch_id, batch_seq from raw.batches where batch_id in (select unnest(?::uuid[]))",
        [list(ids)],
    )
    return dict(cursor.fetchall())
