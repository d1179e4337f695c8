"""A new warehouse file beside the old one, and the instant at which it takes its place.

What is in the new one is the caller's business. Until it is whole the old file stays as it is, so
whoever dies on the way has changed nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from warehouse.connection import attach_warehouse
from warehouse.landing.folders import scratch_folder, sync
from warehouse.settings import Settings


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
