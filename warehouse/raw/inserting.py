"""Inserts rows of registered or archived batches into the raw tables."""

from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.catalogue import raw
from warehouse.landing.archive import IngestedBatch, Segment
from warehouse.landing.landing import Landing
from warehouse.publication.sql import ALONE, in_parquet
from warehouse.raw.copied_shard import copied_to, own_rows

IDS = "select batch_id from raw.batches"
TABLES = {table.name: table for table in raw.REGISTERED}


def last_number(connection: DuckDBPyConnection) -> int:
    """Return the highest ingested number; 0 is none."""
    [(number,)] = connection.execute(
        "select coalesce(max(batch_seq), 0) from raw.batches"
    ).fetchall()
    return int(number)


def insert_archived(landing: Landing, connection: DuckDBPyConnection, *, behind: int) -> int:
    """Insert the archived batches numbered above `behind`. Returns how many.

    The caller's transaction covers all, because numbers of segments may overlap and the highest
    number tells what the raw tables have. A shard inserts none newer than its copies know. A batch
    counts once, even if it was renumbered since, or if a stopped builder compacted batches that
    another had compacted. If it archives two during a listing, that may show the second alone: the
    next listing has both.
    """
    archived = (batch.batch_seq for segment in landing.segments() for batch in segment.batches)
    newest, copied = max(archived, default=0), copied_to(connection)
    up_to = newest if copied is None else min(newest, copied)
    done: set[UUID] = {batch_id for (batch_id,) in connection.sql(IDS).fetchall()}
    before = len(done)
    for segment in landing.segments():
        lacking = {
            batch.batch_id: batch.batch_seq
            for batch in segment.batches
            if behind < batch.batch_seq <= up_to and batch.batch_id not in done
        }
        if lacking:
            with landing.at_hand(segment) as here:
                _insert_segment(connection, here, set(lacking.values()))
            done.update(lacking)
    return len(done) - before


def insert_file(
    connection: DuckDBPyConnection,
    table: str,
    file: Path,
    *,
    batch_seq: int | None,
    condition: str = "true",
) -> None:
    """Append a Parquet file's rows to a raw table, sorted by time; a shard's own rows only.

    `batch_seq` is the rows' batch; None if the file has a column for it.
    """
    columns = "*" if batch_seq is None else f"*, {batch_seq:d}::bigint as batch_seq"
    connection.execute(
        f"insert into raw.{table} by name select {columns} from read_parquet(?, {ALONE})"  # noqa: S608  ours
        f" where {own_rows(connection, TABLES[table])} and {condition}"
        f" order by batch_seq, {TABLES[table].in_time_order}",
        [str(file)],
    )


def insert_batch(connection: DuckDBPyConnection, batch: IngestedBatch) -> None:
    """Insert a batch's row. It counts from the commit on."""
    row = asdict(batch)
    columns, placeholders = ", ".join(row), ", ".join("?" * len(row))
    connection.execute(
        f"insert into raw.batches ({columns}) values ({placeholders})",  # noqa: S608  our own columns
        list(row.values()),
    )


def rows_in(connection: DuckDBPyConnection, file: Path) -> int:
    """Return the number of rows in a Parquet file, of all owners."""
    cursor = connection.execute(f"from {in_parquet(file)} select count(*)")
    [(number,)] = cursor.fetchall()
    return int(number)


def _insert_segment(
    connection: DuckDBPyConnection, segment: Segment, numbers: Collection[int]
) -> None:
    batch_seq = None if segment.is_compacted else segment.batches[0].batch_seq
    listed = ", ".join(map(str, sorted(numbers)))
    condition = f"batch_seq in ({listed})" if len(numbers) < len(segment.batches) else "true"
    for table in TABLES:
        if file := segment.file(table):
            insert_file(connection, table, file, batch_seq=batch_seq, condition=condition)
    for batch in segment.batches:
        if batch.batch_seq in numbers:
            insert_batch(connection, batch)
