"""Rebuilds the raw tables from the archive, and replaces the warehouse file."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
from sqlalchemy import select

from warehouse.catalogue.raw import INGESTED
from warehouse.connection import attach_warehouse, create_tables, transaction
from warehouse.landing.folders import scratch_folder, sync
from warehouse.landing.opening import open_landing
from warehouse.operational.models import RegisteredBatch
from warehouse.operational.store import OperationalStore
from warehouse.raw.inserting import insert_archived
from warehouse.registration.order import newest_number
from warehouse.settings import Settings

FORMS = select(RegisteredBatch.batch_id, RegisteredBatch.form)


class ArchiveIncompleteError(Exception):
    """A registered batch is missing, so nothing was changed."""


def require_batches(store: OperationalStore, settings: Settings) -> None:
    """Raise ArchiveIncompleteError unless every registered batch is in the landing zone.

    It may be archived, registered (not only in an uncommitted form) or rejected. Otherwise a lost
    archive would turn a full warehouse into an empty one. Beyond PostgreSQL's last number (it may
    be older than the archive, or have none), the archive's numbers must have no gap.
    """
    landing = open_landing(settings)
    # In the order in which batches move, because others register and archive meanwhile.
    with store.read_session() as session:
        known = {row.batch_id: row.form for row in session.execute(FORMS)}
    there = {
        batch.batch_id
        for batch in landing.registered()
        if batch.form in {None, known.get(batch.batch_id)}
    }
    archived = [batch for segment in landing.segments() for batch in segment.batches]
    there |= {batch.batch_id for batch in archived}
    with store.read_session() as session:
        newest = newest_number(session)
    _require_numbers([batch.batch_seq for batch in archived], behind=newest)
    if missing := sorted(known.keys() - there - landing.rejected_ids()):
        names = ", ".join(map(str, missing[:5]))
        raise ArchiveIncompleteError(f"{len(missing)} registered batches are missing: {names}")


def rebuild_raw(settings: Settings, connection: duckdb.DuckDBPyConnection) -> int:
    """Replace the raw tables by the archive's batches with their numbers. Returns how many.

    One transaction. Call `require_batches` first.
    """
    with transaction(connection):
        for table in INGESTED:
            connection.execute(f"drop table {table.relation}")
        create_tables(connection)
        return insert_archived(open_landing(settings), connection, behind=0)


def _require_numbers(numbers: Collection[int], *, behind: int) -> None:
    missing = sorted(set(range(behind + 1, max(numbers, default=0) + 1)) - set(numbers))
    if missing:
        raise ArchiveIncompleteError(f"the archive lacks the batches numbered {missing}")


# The caller fills the new file. The old one stays until the new one is complete, so a kill in
# between changes nothing.


@contextmanager
def replaced_warehouse(settings: Settings) -> Iterator[Settings]:
    """Yield settings of an empty warehouse that replaces the real one if the block succeeds.

    The caller holds the real one's `warehouse_lock`.
    """
    path = settings.warehouse_path
    with scratch_folder(path.parent / "rebuilding") as folder:
        # The same file name, because models and views are stored with the name of their database.
        building = settings.model_copy(update={"warehouse_url": str(folder / path.name)})
        yield building
        with attach_warehouse(building) as connection:
            connection.execute("force checkpoint")
        sync(building.warehouse_path)
        _settle(settings)
        building.warehouse_path.replace(path)
        sync(path.parent)


def _settle(settings: Settings) -> None:
    """Checkpoint the old file's write-ahead log, which would be applied to the new file.

    If the old file cannot be opened, its log is useless too.
    """
    log = Path(f"{settings.warehouse_path}.wal")
    if log.exists():
        with suppress(duckdb.Error), attach_warehouse(settings) as connection:
            connection.execute("force checkpoint")
        log.unlink(missing_ok=True)
