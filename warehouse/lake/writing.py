"""Copies a publication's marts to the lake in one transaction.

Readers see the previous publication or this one. Equal rows are not written again. Each
publication writes all differences, so it makes up for a failed or killed one.
"""

from contextlib import nullcontext
from datetime import datetime, timedelta

import duckdb
import structlog
from sqlalchemy.exc import SQLAlchemyError

from warehouse.catalogue.models import MARTS
from warehouse.clock import Clock, system_clock
from warehouse.connection import transaction
from warehouse.lake.catalog import alone
from warehouse.lake.opening import ExtensionsMissingError, open_lake
from warehouse.lake.shard_tables import (
    PUBLICATION,
    ShardTables,
    columns_of,
    partitions_of,
    removed_shards,
    schema_of,
)
from warehouse.lake.views import are_outdated, create_views
from warehouse.operational.store import OperationalStore
from warehouse.publication.publish import Publication
from warehouse.publication.sql import attached
from warehouse.settings import Settings
from warehouse.shards.lease import Lease, LeaseLostError

log = structlog.get_logger(__name__)

RETENTION = timedelta(days=1)
"""As long as replaced publications. A running query keeps reading its snapshot."""
GATHERED = timedelta(hours=1)
"""Minimum age beyond RETENTION before expired snapshots are dropped together."""
FIRST_STATE = "select min(snapshot_time) from ducklake_snapshots('lake')"


def bring(
    settings: Settings,
    store: OperationalStore,
    publication: Publication,
    lease: Lease,
    real_clock: Clock = system_clock,
) -> None:
    """Update the lake to a publication, if there is a lake.

    If the lake is unavailable, or another machine holds the lease, it is left unchanged and this
    is logged; the next publication makes up for it. The caller holds the warehouse's lock and its
    lease.
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
    """Write the partitions that differ. Returns their number.

    Shards write concurrently, except the views over all of them.
    """
    tables = ShardTables(connection, schema)
    with attached(connection, publication.path, PUBLICATION):
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
    """Drop snapshots expired at the real time `now`, which is also the lake's own clock.

    Then drop files that only those snapshots had, and files of killed runs, which no snapshot has.
    """
    [(first,)] = connection.execute(FIRST_STATE).fetchall()
    if first > now - RETENTION - GATHERED:
        return
    due = f"older_than => timestamptz '{now - RETENTION}'"
    with alone(store):
        connection.execute(f"call ducklake_expire_snapshots('lake', {due})")
        connection.execute("call ducklake_cleanup_old_files('lake', cleanup_all => true)")
        connection.execute(f"call ducklake_delete_orphaned_files('lake', {due})")
