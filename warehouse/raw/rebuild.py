"""The raw tables made anew from the archive, and the new file taking the old one's place."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
from sqlalchemy import select

from warehouse.catalogue.raw import INGESTED
from warehouse.connection import attach_warehouse, create_tables
from warehouse.landing.folders import scratch_folder, sync
from warehouse.landing.opening import open_landing
from warehouse.operational.models import RegisteredBatch
from warehouse.operational.store import OperationalStore
from warehouse.raw.inserting import insert_archived
from warehouse.registration.order import newest_number
from warehouse.settings import Settings
from warehouse.transaction import transaction


class ArchiveIncompleteError(Exception):
    """A batch that was registered is nowhere to be found, so nothing was changed."""


def require_batches(store: OperationalStore, settings: Settings) -> None:
    """Raise ArchiveIncompleteError unless every batch ever registered is in the landing zone.

    That is: archived, registered and not ingested yet, or set aside. An archive that was lost would
    otherwise make an empty warehouse of a full one. Behind the last number that PostgreSQL gave (it
    may be older than the archive, or have given none) none may be missing up to the archive's last.
    """
    landing = open_landing(settings)
    archived = [batch for segment in landing.segments() for batch in segment.batches]
    there = {batch.batch_id for batch in archived}
    there |= {batch.batch_id for batch in landing.registered()}
    with store.read_session() as session:
        known = set(session.scalars(select(RegisteredBatch.batch_id)))
        newest = newest_number(session)
    _require_numbers([batch.batch_seq for batch in archived], behind=newest)
    if missing := sorted(known - there - landing.rejected_ids()):
        names = ", ".join(map(str, missing[:5]))
        raise ArchiveIncompleteError(f"{len(missing)} registered batches are missing: {names}")


def rebuild_raw(settings: Settings, connection: duckdb.DuckDBPyConnection) -> int:
    """Replace the raw tables by the archive's batches, each with its batch_seq; return how many.

    One transaction. Whether all are there is held before (`require_batches`).
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


# What is in the new one is the caller's business. Until it is whole the old file stays as it is, so
# whoever dies on the way has changed nothing.


@contextmanager
def replaced_warehouse(settings: Settings) -> Iterator[Settings]:
    """Yield settings of an empty warehouse, which becomes the real one if the block ends well.

    The caller holds `warehouse_lock` of the real one.
    """
    path = settings.warehouse_path
    with scratch_folder(path.parent / "rebuilding") as folder:
        # The same file name: models and views are stored with the name of their database.
        building = settings.model_copy(update={"warehouse_url": str(folder / path.name)})
        yield building
        with attach_warehouse(building) as connection:
            connection.execute("force checkpoint")
        sync(building.warehouse_path)
        _settle(settings)
        building.warehouse_path.replace(path)
        sync(path.parent)


def _settle(settings: Settings) -> None:
    """Bring what the old file's log holds into it: the log would be taken for the new file's.

    Where the old file cannot be opened any more, its log is of no use either.
    """
    log = Path(f"{settings.warehouse_path}.wal")
    if log.exists():
        with suppress(duckdb.Error), attach_warehouse(settings) as connection:
            connection.execute("force checkpoint")
        log.unlink(missing_ok=True)
