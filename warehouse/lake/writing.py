"""Copies the current publication's tables to the lake in one transaction, after a run.

Readers see the previous publication or this one. Equal rows are not written again. Each
publication writes all differences, so it makes up for a failed or killed one.
"""

from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import duckdb
import structlog
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from warehouse.catalogue.models import MARTS, schemas
from warehouse.clock import Clock, system_clock
from warehouse.connection import transaction
from warehouse.lake.catalog import alone
from warehouse.lake.opening import ExtensionsMissingError, open_lake
from warehouse.lake.shard_tables import (
    PUBLICATION,
    ShardTables,
    partitions_of,
    removed_shards,
    schema_of,
    tables_of,
)
from warehouse.lake.views import are_outdated, create_views
from warehouse.models_version import models_version
from warehouse.operational.models import SharedPublication
from warehouse.operational.store import OperationalStore
from warehouse.publication.layout import current_folder
from warehouse.publication.opening import attach_here
from warehouse.publication.shared.pointer import pointer
from warehouse.publication.views import derived_marts
from warehouse.settings import Settings

log = structlog.get_logger(__name__)

RETENTION = timedelta(days=1)
"""As long as replaced publications. A running query keeps reading its snapshot."""
GATHERED = timedelta(hours=1)
"""Minimum age beyond RETENTION before expired snapshots are dropped together."""
FIRST_STATE = "select min(snapshot_time) from ducklake_snapshots('lake')"


def bring(settings: Settings, store: OperationalStore, real_clock: Clock = system_clock) -> None:
    """Update the lake to the current publication, if there is a lake.

    It needs no lease: another machine's later publication is not replaced. If the lake is
    unavailable, it is left unchanged and this is logged; the next publication makes up for it.
    """
    if settings.lake_path is None:
        return
    try:
        with open_lake(settings, store, settings.lake_path) as connection:
            written = _bring(settings, store, connection)
            log.info("lake written", partitions=written)
            _tidy(store, connection, real_clock())
    except (duckdb.Error, SQLAlchemyError, ExtensionsMissingError) as away:
        log.warning(
            "the lake stays as it was: the next publication makes up for it", error=str(away)
        )


def _bring(
    settings: Settings, store: OperationalStore, connection: duckdb.DuckDBPyConnection
) -> int:
    """Write the partitions that differ. Returns their number. One process writes at a time."""
    tables = ShardTables(connection, schema_of(settings.shard))
    with alone(store) as session:
        folder = current_folder(settings.publications_path)
        if folder is None or _is_behind(settings, session, folder):
            return 0
        attach_here(connection, folder, PUBLICATION)
        derived = derived_marts(connection, f"{PUBLICATION}.files")
        relations = tables_of(connection, derived)
        partitions = list(partitions_of(connection, folder, relations))
        connection.execute("use lake")
        with transaction(connection):
            removed = removed_shards(store, connection)
            changed = {mart for shard in removed for mart in shard.drop()}
            if not tables.is_shaped_for(relations, models_version()):
                changed |= tables.reshape(relations, derived)
            if are_outdated(connection):
                changed |= relations.keys() | derived.keys()
            create_views(
                connection, {mart for mart in changed if schemas().get(mart, MARTS) == MARTS}
            )
            written = tables.write(partitions)
            session.execute(text("select 1"))  # fails if the lock has ended: another may have begun
            return written


def _is_behind(settings: Settings, session: Session, folder: Path) -> bool:
    """Return whether other machines serve a later publication of the shard."""
    if settings.landing_bucket is None:
        return False
    pointed = pointer(session, settings.shard)
    made = session.get(SharedPublication, UUID(folder.name))
    return pointed is not None and (made is None or made.position < pointed.position)


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
