"""Imports on their way to ingestion: batches of kind `import` in `landing/registered`.

The caller holds the warehouse lock, so that no other import and no ingestion is under way.
"""

from pathlib import Path
from uuid import UUID

from sqlalchemy import select

from warehouse.ids import uuid7
from warehouse.landing import folders
from warehouse.landing.batches import Batch, incoming, registered
from warehouse.operational.models import RegisteredBatch
from warehouse.operational.store import OperationalStore

KIND = "import"


def register(store: OperationalStore, landing: Path, table: str, file: Path) -> UUID:
    """Make a file the registered batch of one table: it counts from the commit on.

    The batch is whole and on disk before. Killed in between, its folder stays without a row, which
    `waiting_imports` clears away.
    """
    batch_id = uuid7()
    with store.write_session() as session:
        session.add(RegisteredBatch(batch_id=batch_id, kind=KIND, registered_at=store.clock()))
        session.flush()
        with folders.new_folder(landing / "registered" / str(batch_id)) as folder:
            file.rename(folder / f"{table}.parquet")
    return batch_id


def waiting_imports(store: OperationalStore, landing: Path) -> list[Batch]:
    """Return the imports that are registered and not yet ingested, oldest first.

    Folders that a killed import left without its row are removed. A scrape's is not mistaken for
    one: its landed batch goes only after the commit, which is looked for last.
    """
    written = registered(landing)
    landed = {batch.batch_id for batch in incoming(landing)}
    statement = select(RegisteredBatch.batch_id, RegisteredBatch.kind).where(
        RegisteredBatch.batch_id.in_([batch.batch_id for batch in written])
    )
    with store.read_session() as session:
        kinds = {row.batch_id: row.kind for row in session.execute(statement)}
    for batch in written:
        if batch.batch_id not in kinds and batch.batch_id not in landed:
            folders.remove(batch.path)
    return [batch for batch in written if kinds.get(batch.batch_id) == KIND]
