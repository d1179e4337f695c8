"""Registered batches into the append-only raw tables, each exactly once.

A batch's rows and its row in raw.batches commit together; the folder goes to the archive
afterwards. Killed in between, the next ingestion finds the row and only moves the folder.
"""

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import duckdb
import structlog

from warehouse.catalogue import raw
from warehouse.landing.archive import IngestedBatch
from warehouse.landing.batches import Batch, DamagedBatchError, check_files
from warehouse.landing.landing import Landing
from warehouse.landing.opening import open_landing
from warehouse.landing.schema import REGISTERED
from warehouse.operational.store import OperationalStore
from warehouse.raw.waiting import WaitingBatch, note_numbers, registrations_of, waiting
from warehouse.settings import Settings
from warehouse.transaction import transaction

log = structlog.get_logger(__name__)

UNUSABLE = (
    duckdb.ConversionException,
    duckdb.ConstraintException,
    duckdb.InvalidInputException,
)
"""What DuckDB raises for a file's content, as opposed to a full disk or too little memory."""

TIME_OF = {table.name: table.in_time_order for table in raw.REGISTERED}


def ingest_registered(
    store: OperationalStore, settings: Settings, connection: duckdb.DuckDBPyConnection
) -> list[IngestedBatch]:
    """Ingest every batch whose registration is committed, in the order of their numbers.

    Returns the batches ingested now. A damaged one is set aside and does not block the others.
    Afterwards the archive's past days are compacted.
    """
    note_numbers(store, connection)
    done = insert_registered(store, settings, connection)
    archive_ingested(store, settings, connection)
    landing, now = open_landing(settings), datetime.now(UTC)
    if landing.compact(now.date()):  # once a day is enough: tidying looks at all there is
        landing.tidy(now)
    return done


def insert_registered(
    store: OperationalStore, settings: Settings, connection: duckdb.DuckDBPyConnection
) -> list[IngestedBatch]:
    """Insert the batches that the raw tables lack; they stay where they are."""
    landing = open_landing(settings)
    return [
        done
        for each in waiting(store, landing, connection)
        if (done := _ingest_or_reject(landing, connection, each))
    ]


def archive_ingested(
    store: OperationalStore, settings: Settings, connection: duckdb.DuckDBPyConnection
) -> None:
    """Move the ingested batches into the archive in the order of batch_seq.

    So the archive never has a gap, wherever a process was killed: what it lacks is newest. Attempts
    at them that were never committed are dropped.
    """
    landing = open_landing(settings)
    found = [
        (ingested, batch)
        for batch in landing.registered()
        if (ingested := _ingested(connection, batch.batch_id))
    ]
    registered = registrations_of(store, [batch.batch_id for _, batch in found])
    forms = {row.batch_id: row.form for row in registered}
    for ingested, batch in sorted(found, key=lambda pair: pair[0].batch_seq):
        if forms.get(batch.batch_id, batch.form) == batch.form:
            landing.archive(batch, ingested)
        else:
            landing.drop(batch)


def _ingest_or_reject(
    landing: Landing, connection: duckdb.DuckDBPyConnection, waits: WaitingBatch
) -> IngestedBatch | None:
    try:
        with landing.at_hand(waits.batch) as here:
            return _ingest(connection, here, waits)
    except (DamagedBatchError, *UNUSABLE) as error:
        reason = str(error)
        aside = landing.reject(waits.batch, reason)
        batch_id = str(waits.batch.batch_id)
        log.warning("batch set aside", batch_id=batch_id, reason=reason, path=aside)
        return None


def _ingested(connection: duckdb.DuckDBPyConnection, batch_id: UUID) -> IngestedBatch | None:
    found = connection.execute("select * from raw.batches where batch_id = ?", [batch_id])
    row = found.fetchone()
    names = [column[0] for column in found.description or ()]
    return IngestedBatch(**dict(zip(names, row, strict=True))) if row else None


def _ingest(
    connection: duckdb.DuckDBPyConnection, batch: Batch, waits: WaitingBatch
) -> IngestedBatch:
    check_files(batch, REGISTERED)
    with transaction(connection):
        rows = {
            table: insert_file(connection, table, file, batch_seq=waits.batch_seq)
            for table in REGISTERED
            if (file := batch.file(table))
        }
        done = IngestedBatch(
            batch_id=batch.batch_id,
            batch_seq=waits.batch_seq,
            kind=waits.kind,
            ingested_at=datetime.now(UTC),
            **(dict.fromkeys(REGISTERED, 0) | rows),
        )
        insert_batch(connection, done)
    return done


def insert_file(
    connection: duckdb.DuckDBPyConnection, table: str, file: Path, *, batch_seq: int | None
) -> int:
    """Append a Parquet file's rows to a raw table, in the order of time; return how many.

    `batch_seq` is the rows' batch; None where the file has a column that says it.
    """
    columns = "*" if batch_seq is None else f"*, {batch_seq:d}::bigint as batch_seq"
    inserted = connection.execute(
        f"insert into raw.{table} by name select {columns} from read_parquet(?)"  # noqa: S608  ours
        f" order by batch_seq, {TIME_OF[table]}",
        [str(file)],
    )
    return _only_number(inserted)


def insert_batch(connection: duckdb.DuckDBPyConnection, batch: IngestedBatch) -> None:
    """Write a batch's row: from the commit on it counts."""
    row = asdict(batch)
    columns, marks = ", ".join(row), ", ".join("?" * len(row))
    connection.execute(
        f"insert into raw.batches ({columns}) values ({marks})",  # noqa: S608  our own columns
        list(row.values()),
    )


def _only_number(result: duckdb.DuckDBPyConnection) -> int:
    [(number,)] = result.fetchall()
    return int(number)
