"""Ingests registered batches into the raw tables, each exactly once.

A batch's rows and its row in raw.batches commit together; the folder moves to the archive
afterwards. If killed in between, the next ingestion finds the row and only moves the folder.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import duckdb
import structlog

from warehouse.connection import transaction
from warehouse.landing.archive import IngestedBatch
from warehouse.landing.batches import Batch, DamagedBatchError, NewerBatchError, check_files
from warehouse.landing.landing import Landing
from warehouse.landing.opening import open_landing
from warehouse.landing.schema import REGISTERED
from warehouse.operational.clock import clock_of_database
from warehouse.operational.store import OperationalStore
from warehouse.publication.sql import in_parquet
from warehouse.raw.history import move_to_history
from warehouse.raw.inserting import insert_batch, insert_file, rows_in
from warehouse.raw.sharing import archiving, note_ingested
from warehouse.raw.waiting import WaitingBatch, note_numbers, registrations_of, waiting
from warehouse.registration.order import set_aside
from warehouse.settings import Settings

log = structlog.get_logger(__name__)

UNUSABLE = (duckdb.ConversionException, duckdb.ConstraintException, duckdb.InvalidInputException)
"""DuckDB's errors for a file's content, unlike those for a full disk or too little memory."""


def ingest_registered(
    store: OperationalStore, settings: Settings, connection: duckdb.DuckDBPyConnection
) -> list[IngestedBatch]:
    """Ingest all committed registrations, in the order of their numbers. Returns these batches.

    A damaged batch is rejected and does not block others. Afterwards the archive's past days are
    compacted. A shard ingests its own rows, first those in the archive that its warehouse lacks.
    """
    note_numbers(store, connection)
    done = insert_registered(store, settings, connection)
    move_to_history(connection, settings.warehouse_months)
    note_ingested(store, settings, connection)
    archive_ingested(store, settings, connection)
    landing = open_landing(settings)
    with store.read_session() as session:
        now = clock_of_database(session)  # a clock that is ahead would delete uploads under way
    with archiving(store) as up_to:
        if up_to and landing.compact(now.date()):  # once a day, because tidying lists everything
            landing.tidy(now)
    return done


def insert_registered(
    store: OperationalStore, settings: Settings, connection: duckdb.DuckDBPyConnection
) -> list[IngestedBatch]:
    """Insert the batches that the raw tables lack, archived ones first. Files stay in place.

    Returns those that were registered.

    After a batch of a newer version nothing is inserted until this program is upgraded: models and
    other shards rely on the last number, so no batch may be skipped.
    """
    landing = open_landing(settings)
    inserted = []
    for each in waiting(store, settings, connection):
        try:
            inserted.append(_ingest_or_reject(store, landing, connection, each))
        except NewerBatchError as newer:
            batch_id = str(each.batch.batch_id)
            log.warning("batches wait: upgrade", batch_id=batch_id, reason=str(newer))
            break
        except FileNotFoundError:
            if landing.has(each.batch):
                raise
            inserted += insert_registered(store, settings, connection)  # it is archived now
            break
    return [batch for batch in inserted if batch]


def archive_ingested(
    store: OperationalStore, settings: Settings, connection: duckdb.DuckDBPyConnection
) -> None:
    """Move the ingested batches into the archive in the order of batch_seq.

    So the archive never has a gap, wherever a process was killed: it lacks only the newest.
    Uncommitted attempts are deleted. A batch that another shard lacks stays for it. One that
    another shard set aside returned with a higher number than here.
    """
    with archiving(store) as up_to:
        _archive(store, open_landing(settings), connection, up_to)


def _archive(
    store: OperationalStore, landing: Landing, connection: duckdb.DuckDBPyConnection, up_to: int
) -> None:
    ingested_batches = [
        (ingested, batch)
        for batch in landing.registered()
        if (ingested := _ingested(connection, batch.batch_id)) and ingested.batch_seq <= up_to
    ]
    registered = registrations_of(store, [batch.batch_id for _, batch in ingested_batches])
    forms = {row.batch_id: row.form for row in registered}
    numbers = {row.batch_id: row.batch_seq or 0 for row in registered}
    numbered = [
        (replace(ingested, batch_seq=max(number, ingested.batch_seq)), batch)
        for ingested, batch in ingested_batches
        if 0 <= (number := numbers.get(batch.batch_id, 0)) <= up_to
    ]
    for ingested, batch in sorted(numbered, key=lambda pair: pair[0].batch_seq):
        if batch.form is None or forms.get(batch.batch_id, batch.form) == batch.form:
            landing.archive(batch, ingested)
        else:
            landing.drop(batch)


def _ingest_or_reject(
    store: OperationalStore,
    landing: Landing,
    connection: duckdb.DuckDBPyConnection,
    waits: WaitingBatch,
) -> IngestedBatch | None:
    try:
        with landing.at_hand(waits.batch) as here:
            return _ingest(connection, here, waits)
    except (DamagedBatchError, *UNUSABLE) as error:
        reason = str(error)
        aside = landing.reject(waits.batch, reason)
        with store.write_session() as session:
            set_aside(session, [waits.batch.batch_id])
        batch_id = str(waits.batch.batch_id)
        log.warning("batch set aside", batch_id=batch_id, reason=reason, path=aside)
        return None


def _ingested(connection: duckdb.DuckDBPyConnection, batch_id: UUID) -> IngestedBatch | None:
    cursor = connection.execute("select * from raw.batches where batch_id = ?", [batch_id])
    row = cursor.fetchone()
    names = [column[0] for column in cursor.description or ()]
    return IngestedBatch(**dict(zip(names, row, strict=True))) if row else None


def _ingest(
    connection: duckdb.DuckDBPyConnection, batch: Batch, waits: WaitingBatch
) -> IngestedBatch:
    check_files(batch, REGISTERED)
    files = {table: file for table in REGISTERED if (file := batch.file(table))}
    try:
        with transaction(connection):
            for table, file in files.items():
                insert_file(connection, table, file, batch_seq=waits.batch_seq)
            rows = {table: rows_in(connection, file) for table, file in files.items()}
            done = IngestedBatch(
                batch_id=batch.batch_id,
                batch_seq=waits.batch_seq,
                kind=waits.kind,
                ingested_at=datetime.now(UTC),
                **(dict.fromkeys(REGISTERED, 0) | rows),
            )
            insert_batch(connection, done)
    except duckdb.Error:
        _require_readable(files.values())
        raise
    return done


def _require_readable(files: Iterable[Path]) -> None:
    """Raise DamagedBatchError for a file that DuckDB cannot read.

    DuckDB (1.5) gives damaged pages an Error of no kind. Its IOException may also be a lack of
    file descriptors, and then a good batch would be rejected.
    """
    with duckdb.connect() as alone:
        for file in files:
            try:
                alone.execute(f"select max(hash(rows)) from {in_parquet(file)} as rows")  # noqa: S608
            except (duckdb.IOException, duckdb.OutOfMemoryException):
                continue
            except duckdb.Error as error:
                raise DamagedBatchError(f"{file.name} cannot be read: {error}") from error
