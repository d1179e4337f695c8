"""Batches and their archive, which workers of several shards share: what each has, whose turn.

A batch is archived once every shard has its rows, so that whoever was away for long finds it where
it was. Where nothing is sharded nobody is asked.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from uuid import UUID

from duckdb import DuckDBPyConnection
from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from warehouse.landing.landing import Landing
from warehouse.landing.opening import open_landing
from warehouse.operational.models import RegisteredBatch, Shard
from warehouse.operational.store import OperationalStore
from warehouse.raw.copied_shard import copied_to
from warehouse.raw.inserting import insert_archived
from warehouse.raw.rebuild import require_batches
from warehouse.raw.waiting import last_number
from warehouse.settings import MAIN_SHARD, Settings
from warehouse.transaction import transaction

NO_END = 2**63 - 1
ARCHIVE = 0x7368_6172_6473_6172
"""Advisory lock of whoever moves batches in the archive; those who read it share it."""


def ingested_by_all(session: Session) -> int | None:
    """Return up to which number every shard has its rows; None where nothing is sharded."""
    return session.scalar(select(func.min(Shard.ingested_up_to)))


def lacked(session: Session, batches: Collection[UUID]) -> Mapping[str, Collection[UUID]]:
    """Return by shard those of the batches, not archived yet, that it has not ingested.

    Those that nobody has registered all lack; who has all is left out. Where nothing is sharded,
    `main` lacks them.
    """
    shards = {row.name: row.ingested_up_to for row in session.scalars(select(Shard))}
    registered = select(RegisteredBatch).where(RegisteredBatch.batch_id.in_(batches))
    numbers = {row.batch_id: row.batch_seq for row in session.scalars(registered)}
    lacking = {
        shard: {each for each in batches if (numbers.get(each) or NO_END) > up_to}
        for shard, up_to in (shards or {MAIN_SHARD: 0}).items()
    }
    return {shard: some for shard, some in lacking.items() if some}


@contextmanager
def archiving(store: OperationalStore) -> Iterator[int]:
    """Yield up to which number batches may be archived: all shards have their rows of those.

    0 while another worker changes or reads the archive: it is done by whoever comes later.
    """
    with store.write_session() as session:
        if ingested_by_all(session) is None:
            yield NO_END
            return
        is_ours = session.scalar(text("select pg_try_advisory_xact_lock(:key)"), {"key": ARCHIVE})
        yield (ingested_by_all(session) or 0) if is_ours else 0


def note_ingested(
    store: OperationalStore, settings: Settings, connection: DuckDBPyConnection
) -> None:
    """Tell the others up to which batch the shard has its rows."""
    noted = (
        update(Shard)
        .where(Shard.name == (settings.shard or MAIN_SHARD))
        .values(ingested_up_to=last_number(connection))
    )
    with store.write_session() as session:
        session.execute(noted)


def fetch_archived(
    store: OperationalStore, settings: Settings, connection: DuckDBPyConnection
) -> None:
    """Insert what was archived and the warehouse lacks, all where it is empty; of a shard its rows.

    Another machine archives too where there are shards, or where builders share a bucket.

    First the others learn how far it is: from then on they archive nothing that it lacks. What
    it lacks is looked for behind that, or they could archive it between the two. Raises
    ArchiveIncompleteError where an empty one would lack what is nowhere.
    """
    with store.read_session() as session:
        is_sharded = ingested_by_all(session) is not None
    if not is_sharded and settings.landing_bucket is None:
        return
    behind, landing = last_number(connection), open_landing(settings)
    note_ingested(store, settings, connection)
    with archive_locked(store):
        if (behind or not is_sharded) and _all_wait(store, landing, connection, behind):
            return
        if not behind:
            require_batches(store, settings)
        with transaction(connection):
            insert_archived(landing, connection, behind=behind)


@contextmanager
def archive_locked(store: OperationalStore) -> Iterator[None]:
    """Let no worker of another shard change the archive during the block, which reads it."""
    with store.write_session() as session:
        session.execute(text("select pg_advisory_xact_lock_shared(:key)"), {"key": ARCHIVE})
        yield


def _all_wait(
    store: OperationalStore, landing: Landing, connection: DuckDBPyConnection, behind: int
) -> bool:
    """Tell whether all that the warehouse lacks waits to be ingested, and none is archived."""
    up_to = copied_to(connection)
    lacking = select(RegisteredBatch.batch_id).where(
        RegisteredBatch.batch_seq > behind,
        RegisteredBatch.batch_seq <= (NO_END if up_to is None else up_to),
    )
    with store.read_session() as session:
        ids = set(session.scalars(lacking))
    return ids <= {batch.batch_id for batch in landing.registered()}
