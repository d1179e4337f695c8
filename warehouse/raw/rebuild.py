"""The raw tables made anew from the archive, identical to what ingestion once made of it."""

import duckdb

from warehouse.connection import create_tables
from warehouse.landing.archive import Part, parts
from warehouse.landing.schema import REGISTERED
from warehouse.raw.ingest import insert_batch, insert_file
from warehouse.raw.transaction import transaction
from warehouse.settings import Settings


class ArchiveIncompleteError(Exception):
    """A batch that was ingested is not in the archive, so nothing was changed."""


def rebuild_raw(settings: Settings, connection: duckdb.DuckDBPyConnection) -> int:
    """Replace the raw tables by the archive's batches, each with its batch_seq; return how many.

    One transaction. Raises ArchiveIncompleteError where a batch_seq is missing.
    """
    archived = parts(settings.landing_path)
    count = _require_all(archived)
    with transaction(connection):
        for table in ("batches", *REGISTERED):
            connection.execute(f"drop table raw.{table}")
        create_tables(connection)
        for part in archived:
            _insert_part(connection, part)
    return count


def _require_all(archived: list[Part]) -> int:
    found = [batch.batch_seq for part in archived for batch in part.batches]
    missing = sorted(set(range(1, max(found, default=0) + 1)) - set(found))
    if missing:
        raise ArchiveIncompleteError(f"the archive lacks the batches numbered {missing}")
    return len(found)


def _insert_part(connection: duckdb.DuckDBPyConnection, part: Part) -> None:
    batch_seq = None if part.is_compacted else part.batches[0].batch_seq
    for table in REGISTERED:
        if file := part.file(table):
            insert_file(connection, table, file, batch_seq=batch_seq)
    for batch in part.batches:
        insert_batch(connection, batch)
