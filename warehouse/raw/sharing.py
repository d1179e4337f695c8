"""Archiving of batches that several shards share.

A batch is archived once every shard has its rows, so that a shard that was away still finds it in
place. Without shards no one is waited for.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from uuid import UUID

from duckdb import DuckDBPyConnection
from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from warehouse.connection import transaction
from warehouse.landing.opening import open_landing
from warehouse.operational.engines import LIMIT_IDLE
from warehouse.operational.models import RegisteredBatch, Shard
from warehouse.operational.store import OperationalStore
from warehouse.raw.inserting import insert_archived, last_number
from warehouse.raw.rebuild import require_batches
from warehouse.settings import MAIN_SHARD, Settings

NO_END = 2**63 - 1
ARCHIVE = 0x7368_6172_6473_6172
"""Advisory lock of processes that move batches in the archive; readers share it."""
LONGEST_MOVE, LONGEST_READ = "1h", "1d"
"""How long one of them may take before PostgreSQL frees its lock, because it may be stopped.

A mover blocks ingestion of other shards; days that it has compacted stay so. Readers only delay
movers, and a backup or rebuild reads the whole archive, which takes hours.
"""
_TRY_MOVE = f"select pg_try_advisory_xact_lock(:key), {LIMIT_IDLE}"
_AWAIT_READ = f"select pg_advisory_xact_lock_shared(:key), {LIMIT_IDLE}"


def ingested_by_all(session: Session) -> int | None:
    """Return the number up to which all shards have their rows, or None without shards."""
    return session.scalar(select(func.min(Shard.ingested_up_to)))


def lacked(session: Session, batches: Collection[UUID]) -> Mapping[str, Mapping[UUID, int | None]]:
    """Return by shard the batches that it has not ingested, with their numbers.

    They are not archived yet. Unregistered ones and those that were set aside are missing in all
    shards. Shards that lack nothing are left out. Without shards, `main` lacks them.
    """
    shards = {row.name: row.ingested_up_to for row in session.scalars(select(Shard))}
    registered = select(RegisteredBatch).where(RegisteredBatch.batch_id.in_(batches))
    numbers = {row.batch_id: row.batch_seq for row in session.scalars(registered)}
    lacking = {
        shard: {
            each: numbers.get(each) for each in batches if not 0 < (numbers.get(each) or 0) <= up_to
        }
        for shard, up_to in (shards or {MAIN_SHARD: 0}).items()
    }
    return {shard: some for shard, some in lacking.items() if some}


@contextmanager
def archiving(store: OperationalStore) -> Iterator[int]:
    """Yield the number up to which batches may be archived: all shards have those rows.

    0 while another worker changes or reads the archive; a later one archives. Raises
    OperationalError after a block longer than LONGEST_MOVE: others may have archived meanwhile.
    """
    with store.write_session() as session:
        if ingested_by_all(session) is None:
            session.rollback()  # the block may take longer than a transaction may be idle
            yield NO_END
            return
        is_ours = session.scalar(text(_TRY_MOVE), {"key": ARCHIVE, "idle": LONGEST_MOVE})
        yield (ingested_by_all(session) or 0) if is_ours else 0


def note_ingested(
    store: OperationalStore, settings: Settings, connection: DuckDBPyConnection
) -> None:
    """Record the number up to which this shard has its rows."""
    noted = (
        update(Shard)
        .where(Shard.name == (settings.shard or MAIN_SHARD))
        .values(ingested_up_to=last_number(connection))
    )
    with store.write_session() as session:
        session.execute(noted)


def fetch_archived(
    store: OperationalStore,
    settings: Settings,
    connection: DuckDBPyConnection,
    *,
    newest: int,
    waiting: Collection[int | None],
) -> None:
    """Insert archived batches that the warehouse lacks; a shard's own rows only.

    It lacks them after its file was lost or replaced by an older one, after its members changed,
    and where other machines archive too. The archive is read unless all numbers up to `newest` are
    among those `waiting` in `registered`, which the caller listed before. Raises
    ArchiveIncompleteError if the warehouse is empty and a batch is missing.
    """
    behind = last_number(connection)
    lacking = select(RegisteredBatch.batch_seq).where(
        RegisteredBatch.batch_seq > behind, RegisteredBatch.batch_seq <= newest
    )
    with store.read_session() as session:
        if behind and set(session.scalars(lacking)) <= set(waiting):
            return
    if not behind:
        require_batches(store, settings)
    with transaction(connection):
        insert_archived(open_landing(settings), connection, behind=behind)


@contextmanager
def archive_locked(store: OperationalStore) -> Iterator[None]:
    """Keep workers of other shards from changing the archive during the block, which reads it.

    Raises OperationalError after a block longer than LONGEST_READ.
    """
    with store.write_session() as session:
        session.execute(text(_AWAIT_READ), {"key": ARCHIVE, "idle": LONGEST_READ})
        yield
