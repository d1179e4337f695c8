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
from warehouse.landing.archive import IngestedBatch, archive
from warehouse.landing.batches import DamagedBatchError, check_files, registered, reject
from warehouse.landing.compaction import compact
from warehouse.landing.schema import REGISTERED
from warehouse.operational.store import OperationalStore
from warehouse.raw.waiting import WaitingBatch, note_numbers, waiting
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
    archive_ingested(settings, connection)
    compact(settings.landing_path, datetime.now(UTC).date())
    return done


def insert_registered(
    store: OperationalStore, settings: Settings, connection: duckdb.DuckDBPyConnection
) -> list[IngestedBatch]:
    """Insert the batches that the raw tables lack; their folders stay where they are."""
    return [
        done
        for each in waiting(store, settings.landing_path, connection)
        if (done := _ingest_or_reject(settings.landing_path, connection, each))
    ]


def archive_ingested(settings: Settings, connection: duckdb.DuckDBPyConnection) -> None:
    """Move the ingested batches into the archive in the order of batch_seq.

    So the archive never has a gap, wherever a process was killed: what it lacks is newest.
    """
    found = [
        (ingested, batch)
        for batch in registered(settings.landing_path)
        if (ingested := _ingested(connection, batch.batch_id))
    ]
    for ingested, batch in sorted(found, key=lambda pair: pair[0].batch_seq):
        archive(settings.landing_path, batch, ingested)


def _ingest_or_reject(
    landing: Path, connection: duckdb.DuckDBPyConnection, waits: WaitingBatch
) -> IngestedBatch | None:
    try:
        return _ingest(connection, waits)
    except (DamagedBatchError, *UNUSABLE) as error:
        reason = str(error)
        aside = str(reject(landing, waits.batch, reason))
        batch_id = str(waits.batch.batch_id)
        log.warning("batch set aside", batch_id=batch_id, reason=reason, path=aside)
        return None


def _ingested(connection: duckdb.DuckDBPyConnection, batch_id: UUID) -> IngestedBatch | None:
    found = connection.execute("select * from raw.batches where batch_id = ?", [batch_id])
    row = found.fetchone()
    names = [column[0] for column in found.description or ()]
    return IngestedBatch(**dict(zip(names, row, strict=True))) if row else None


def _ingest(connection: duckdb.DuckDBPyConnection, waits: WaitingBatch) -> IngestedBatch:
    batch = waits.batch
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
