"""What the lake forgets: states that were replaced a day ago, and files that nobody needs."""

from datetime import datetime, timedelta

import duckdb

from warehouse.lake.catalog import alone
from warehouse.operational.store import OperationalStore

KEPT = timedelta(days=1)
"""As long as replaced publications; a query goes on reading the state that it began with."""
GATHERED = timedelta(hours=1)
"""How long at least states are due before all that are so go at once."""
FIRST_STATE = "select min(snapshot_time) from ducklake_snapshots('lake')"


def tidy(store: OperationalStore, connection: duckdb.DuckDBPyConnection, now: datetime) -> None:
    """Forget what is due at the real time `now`, by which the lake notes its own.

    Then files that only those states had, and files of killed runs, which no state has.
    """
    [(first,)] = connection.execute(FIRST_STATE).fetchall()
    if first > now - KEPT - GATHERED:
        return
    due = f"older_than => timestamptz '{now - KEPT}'"
    with alone(store):
        connection.execute(f"call ducklake_expire_snapshots('lake', {due})")
        connection.execute("call ducklake_cleanup_old_files('lake', cleanup_all => true)")
        connection.execute(f"call ducklake_delete_orphaned_files('lake', {due})")
