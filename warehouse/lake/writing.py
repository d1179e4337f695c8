"""A publication's marts into the lake, in one transaction: readers see the one before or this one.

What is the same as there is not written again. Whatever failed or was killed is made up by the
next one, since each writes all that differs from what the lake has.
"""

from contextlib import nullcontext
from datetime import datetime, timedelta

import duckdb
import structlog
from sqlalchemy.exc import SQLAlchemyError

from warehouse.catalogue.models import MARTS
from warehouse.clock import Clock, system_clock
from warehouse.lake.catalog import alone
from warehouse.lake.opening import ExtensionsMissingError, open_lake
from warehouse.lake.partitions import PUBLICATION, columns_of, partitions_of
from warehouse.lake.shard_tables import ShardTables, removed_shards, schema_of
from warehouse.lake.views import are_outdated, create_views
from warehouse.operational.store import OperationalStore
from warehouse.publication.publish import Publication
from warehouse.publication.sql import attached
from warehouse.settings import Settings
from warehouse.shards.lease import Lease, LeaseLostError
from warehouse.transaction import transaction

log = structlog.get_logger(__name__)

RETENTION = timedelta(days=1)
"""As long as replaced publications; a query goes on reading the state that it began with."""
GATHERED = timedelta(hours=1)
"""How long at least states are due before all that are so go at once."""
FIRST_STATE = "select min(snapshot_time) from ducklake_snapshots('lake')"


def bring(
    settings: Settings,
    store: OperationalStore,
    publication: Publication,
    lease: Lease,
    real_clock: Clock = system_clock,
) -> None:
    """Bring the lake to what a publication has, if there is a lake.

    While it is away, or where another machine builds since, nothing changes there, which is logged:
    the next publication makes up for it. The caller holds the warehouse's lock and its lease.
    """
    if settings.lake_path is None:
        return
    try:
        with open_lake(settings, store, settings.lake_path) as connection:
            written = _bring(store, connection, publication, schema_of(settings.shard), lease)
            log.info("lake written", publication_id=str(publication.id), partitions=written)
            _tidy(store, connection, real_clock())
    except (duckdb.Error, SQLAlchemyError, ExtensionsMissingError, LeaseLostError) as away:
        log.warning(
            "the lake stays as it was: the next publication makes up for it",
            publication_id=str(publication.id),
            error=str(away),
        )


def _bring(
    store: OperationalStore,
    connection: duckdb.DuckDBPyConnection,
    publication: Publication,
    schema: str,
    lease: Lease,
) -> int:
    """Write the parts that differ; return how many.

    Shards write beside each other, but for the views over all of them.
    """
    tables = ShardTables(connection, schema)
    with attached(connection, publication.path, PUBLICATION, read_only=True):
        marts = columns_of(connection, PUBLICATION, MARTS)
        partitions = list(partitions_of(connection, publication.path.parent, marts))
        others, removed = tables.shaped_otherwise(marts), removed_shards(store, connection)
        outdated = set(marts) if are_outdated(connection) else set[str]()
        with (
            alone(store) if others or removed or outdated else nullcontext(),
            store.write_session() as session,
            transaction(connection),
        ):
            changed = {mart for shard in removed for mart in shard.drop()}
            if others:
                tables.reshape(marts, others)
            create_views(connection, changed | set(others) | outdated)
            written = tables.write(partitions)
            lease.require(session)  # until the commit
            return written


def _tidy(store: OperationalStore, connection: duckdb.DuckDBPyConnection, now: datetime) -> None:
    """Forget what is due at the real time `now`, by which the lake notes its own.

    Then files that only those states had, and files of killed runs, which no state has.
    """
    [(first,)] = connection.execute(FIRST_STATE).fetchall()
    if first > now - RETENTION - GATHERED:
        return
    due = f"older_than => timestamptz '{now - RETENTION}'"
    with alone(store):
        connection.execute(f"call ducklake_expire_snapshots('lake', {due})")
        connection.execute("call ducklake_cleanup_old_files('lake', cleanup_all => true)")
        connection.execute(f"call ducklake_delete_orphaned_files('lake', {due})")
