"""Moves older readings from the warehouse's file to Parquet files beside it.

A file never changes. Its row in raw.history_files commits with the removal of its rows from the
table, so each reading is in one place, whatever is killed when. A file without such a row is
removed. A late reading of a moved month is in the table, until it moves in another file.
"""

from datetime import UTC, datetime, time

import duckdb
import structlog

from warehouse.catalogue.raw import WITH_HISTORY
from warehouse.catalogue.table import Table
from warehouse.connection import transaction
from warehouse.ids import uuid7
from warehouse.landing.folders import make_way, sync
from warehouse.publication.facts import first_of_month, months_before
from warehouse.publication.sql import quoted_path
from warehouse.raw.history_view import folder_of, listed_files, show_history

log = structlog.get_logger(__name__)

FEW_ROWS = 100_000
"""Fewer rows stay in the table, so that late readings do not make many small files."""
PUBLISHED = "select as_of, to_batch_seq from control.published"


def move_to_history(connection: duckdb.DuckDBPyConnection, months: int | None) -> None:
    """Move readings older than this month and so many before it; None moves nothing.

    Only readings of the last published build move, so that no build finds its new ones there.
    `connection` is to the warehouse (UTC, no open transaction), whose lock the caller holds.
    """
    _remove_unlisted(connection)
    if months is None or (published := _published(connection)) is None:
        return
    as_of, to_batch_seq = published
    first_day = months_before(first_of_month(as_of.astimezone(UTC).date()), months)
    before = datetime.combine(first_day, time(), tzinfo=UTC)
    for table in WITH_HISTORY:
        old = f"{table.in_time_order} < timestamptz '{before}' and batch_seq <= {to_batch_seq:d}"
        _move(connection, table, old)


def _move(connection: duckdb.DuckDBPyConnection, table: Table, old: str) -> None:
    rows, last_at, last_batch_seq = connection.execute(
        f"select count(*), max({table.in_time_order}), max(batch_seq)"  # noqa: S608  (our own)
        f" from {table.relation} where {old}"
    ).fetchall()[0]
    if rows < FEW_ROWS:
        return
    folder = folder_of(connection)
    make_way(folder)
    file = folder / f"{table.name}-{uuid7()}.parquet"
    columns = ", ".join(table.column_names)
    written = connection.execute(
        f"copy (select {columns} from {table.relation} where {old}"  # noqa: S608  (our own)
        f" order by {table.column_names[0]}, {table.in_time_order})"
        f" to {quoted_path(file)} (format parquet, compression zstd)"
    ).fetchall()
    sync(file)
    sync(folder)
    listed = [table.name, file.name, columns, rows, last_at, last_batch_seq]
    with transaction(connection):
        removed = connection.execute(f"delete from {table.relation} where {old}").fetchall()  # noqa: S608  (our own)
        if not written == removed == [(rows,)]:
            raise RuntimeError(f"{file}: {written} rows written and {removed} removed of {rows}")
        connection.execute("insert into raw.history_files values (?, ?, ?, ?, ?, ?)", listed)
        show_history(connection)
    log.info("readings moved to history", file=str(file), rows=rows, before=str(last_at))


def _remove_unlisted(connection: duckdb.DuckDBPyConnection) -> None:
    """Remove what a killed process left, or files whose readings were ingested again.

    DuckDB writes to another name first: `tmp_` and the file's.
    """
    listed = listed_files(connection)
    for table in WITH_HISTORY:
        for path in folder_of(connection).glob(f"*{table.name}-*.parquet"):
            if path.name not in listed:
                path.unlink()


def _published(connection: duckdb.DuckDBPyConnection) -> tuple[datetime, int] | None:
    """Return as_of and last batch of the last published build, or None before the first."""
    try:
        rows = connection.execute(PUBLISHED).fetchall()
    except duckdb.CatalogException:  # the models were never built, or by another version
        return None
    return (rows[0][0], rows[0][1]) if rows else None
