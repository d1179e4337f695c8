"""Registered batches into the append-only raw tables, each exactly once.

A batch's rows and its row in raw.batches commit together; the folder goes to the archive
afterwards. Killed in between, the next ingestion finds the row and only moves the folder.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import duckdb
import structlog
from sqlalchemy import select

from warehouse.catalogue import raw
from warehouse.landing.archive import IngestedBatch, archive
from warehouse.landing.batches import Batch, DamagedBatchError, check_files, registered, reject
from warehouse.landing.compaction import compact
from warehouse.landing.schema import REGISTERED
from warehouse.operational.models import RegisteredBatch
from warehouse.operational.store import OperationalStore
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
    """Ingest every batch whose registration is committed, in the order of their ids.

    Returns the batches ingested now. A damaged one is set aside and does not block the others.
    Afterwards the archive's past days are compacted.
    """
    done = insert_registered(store, settings, connection)
    archive_ingested(settings, connection)
    compact(settings.landing_path, datetime.now(UTC).date())
    return done


def insert_registered(
    store: OperationalStore, settings: Settings, connection: duckdb.DuckDBPyConnection
) -> list[IngestedBatch]:
    """Insert the batches that the raw tables lack; their folders stay where they are."""
    batches = registered(settings.landing_path)
    kinds = _kinds(store, [batch.batch_id for batch in batches])
    return [
        done
        for batch in batches
        if batch.batch_id in kinds
        and _ingested(connection, batch.batch_id) is None
        and (done := _ingest_or_reject(settings.landing_path, connection, batch, kinds))
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


def _kinds(store: OperationalStore, ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the kind of each batch that PostgreSQL knows; others were never committed."""
    statement = select(RegisteredBatch).where(RegisteredBatch.batch_id.in_(ids))
    with store.read_session() as session:
        return {row.batch_id: row.kind for row in session.scalars(statement)}


def _ingest_or_reject(
    landing: Path, connection: duckdb.DuckDBPyConnection, batch: Batch, kinds: Mapping[UUID, str]
) -> IngestedBatch | None:
    try:
        return _ingest(connection, batch, kinds[batch.batch_id])
    except (DamagedBatchError, *UNUSABLE) as error:
        reason = str(error)
        aside = str(reject(landing, batch, reason))
        log.warning("batch set aside", batch_id=str(batch.batch_id), reason=reason, path=aside)
        return None


def _ingested(connection: duckdb.DuckDBPyConnection, batch_id: UUID) -> IngestedBatch | None:
    found = connection.execute("select * from raw.batches where batch_id = ?", [batch_id])
    row = found.fetchone()
    names = [column[0] for column in found.description or ()]
    return IngestedBatch(**dict(zip(names, row, strict=True))) if row else None


def _ingest(connection: duckdb.DuckDBPyConnection, batch: Batch, kind: str) -> IngestedBatch:
    check_files(batch, REGISTERED)
    with transaction(connection):
        batch_seq = _next_seq(connection)
        rows = {
            table: insert_file(connection, table, file, batch_seq=batch_seq)
            for table in REGISTERED
            if (file := batch.file(table))
        }
        done = IngestedBatch(
            batch_id=batch.batch_id,
            batch_seq=batch_seq,
            kind=kind,
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


def _next_seq(connection: duckdb.DuckDBPyConnection) -> int:
    return _only_number(
        connection.execute("select coalesce(max(batch_seq), 0) + 1 from raw.batches")
    )


def _only_number(result: duckdb.DuckDBPyConnection) -> int:
    [(number,)] = result.fetchall()
    return int(number)
