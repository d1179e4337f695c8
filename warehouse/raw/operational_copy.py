"""Copies operational.* for the models from one snapshot of PostgreSQL.

`warehouse.catalogue.operational` declares the tables and columns. UNPUBLISHED and ZONE_OFFSETS are
copied completely each time, all others by `followed_copy`.
"""

import duckdb
import pyarrow as pa
from adbc_driver_postgresql import dbapi as postgresql

from warehouse.catalogue.operational import FOLLOWED, OPERATIONAL, UNPUBLISHED, ZONE_OFFSETS
from warehouse.catalogue.raw import COPIED
from warehouse.catalogue.table import Table
from warehouse.connection import transaction
from warehouse.operational.engines import IDLE, LONGEST_IDLE
from warehouse.operational.store import OperationalStore
from warehouse.raw.copied_shard import note_members
from warehouse.raw.followed_copy import follow_tables
from warehouse.shards.members import Members
from warehouse.zones import FIRST_INSTANT, LAST_INSTANT, offset_spans

ZONES_IN_USE = """
    select analytics_tz from operational.organizations
    union
    select analytics_tz from operational.organization_zones
    union
    select timezone from operational.payout_structures where timezone is not null
    order by 1
"""
"""Includes zones of structures: of several zones at one instant, the history has only the last."""
INSTANT = pa.timestamp("us", "UTC")
COLUMNS = pa.schema(
    {
        "zone": pa.string(),
        "starts_at": INSTANT,
        "ends_at": INSTANT,
        "utc_offset_seconds": pa.int32(),
    }
)


def fill_zone_offsets(connection: duckdb.DuckDBPyConnection) -> None:
    """Insert the offsets of all zones in use into the (empty) table."""
    zones = [zone for (zone,) in connection.execute(ZONES_IN_USE).fetchall()]
    rows = [
        {
            "zone": zone,
            "starts_at": span.starts_at,
            "ends_at": span.ends_at,
            "utc_offset_seconds": span.utc_offset_seconds,
        }
        for zone in zones
        for span in offset_spans(zone, FIRST_INSTANT, LAST_INSTANT)
    ]
    connection.register("spans", pa.Table.from_pylist(rows, schema=COLUMNS))
    connection.execute("insert into operational.zone_offsets select * from spans")
    connection.unregister("spans")


HAS_CHANGES = """
    from duckdb_tables()
    where database_name = current_database()
        and schema_name = 'operational'
        and table_name = 'unpublished_changes'
"""
COPIED_CHANGES = "select id from operational.unpublished_changes order by id"
ONE_SNAPSHOT = "set transaction isolation level repeatable read, read only"


def copy_operational(
    store: OperationalStore, connection: duckdb.DuckDBPyConnection, members: Members | None = None
) -> dict[str, int]:
    """Update operational.* in one transaction. Returns the number of rows of each table.

    With `members`, copies only their rows.
    """
    with (
        postgresql.connect(store.dsn) as source,
        source.cursor() as cursor,
        transaction(connection),
    ):
        cursor.execute(f"set {IDLE} = '{LONGEST_IDLE}'")
        cursor.execute(ONE_SNAPSHOT)
        follow_tables(cursor, connection, FOLLOWED, members)
        note_members(cursor, connection, members)
        _copy_whole(cursor, connection, UNPUBLISHED)
        connection.execute(ZONE_OFFSETS.emptied)
        fill_zone_offsets(connection)
        return {
            table.name: len(connection.table(table.relation)) for table in (*OPERATIONAL, *COPIED)
        }


def copied_changes(connection: duckdb.DuckDBPyConnection) -> list[int]:
    """Return the unpublished_changes in the copy; none if an earlier version made it."""
    if not connection.execute(HAS_CHANGES).fetchall():
        return []
    return [change for (change,) in connection.sql(COPIED_CHANGES).fetchall()]


def _copy_whole(
    cursor: postgresql.Cursor, connection: duckdb.DuckDBPyConnection, table: Table
) -> None:
    connection.execute(table.emptied)
    columns = ", ".join(table.column_names)
    cursor.execute(f"select {columns} from {table.name} order by 1")  # noqa: S608  of our catalogue
    connection.register("arriving", cursor.fetch_record_batch())
    connection.execute(f"insert into {table.relation} select * from arriving")  # noqa: S608
    connection.unregister("arriving")
