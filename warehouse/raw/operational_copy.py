"""operational.*: what people decided, copied for the models from one snapshot of PostgreSQL.

Which tables and columns are copied is in `warehouse.catalogue.operational`. All but UNPUBLISHED and
ZONE_OFFSETS, which are made whole each time, come by `followed_copy`.
"""

import duckdb
from adbc_driver_postgresql import dbapi as postgresql

from warehouse.catalogue.operational import FOLLOWED, OPERATIONAL, UNPUBLISHED, ZONE_OFFSETS
from warehouse.catalogue.raw import COPIED_TABLES
from warehouse.catalogue.table import Table
from warehouse.operational.store import OperationalStore
from warehouse.raw.followed_copy import follow_tables
from warehouse.raw.zone_offsets import fill_zone_offsets
from warehouse.transaction import transaction

HAS_CHANGES = """
    from duckdb_tables()
    where database_name = current_database()
        and schema_name = 'operational'
        and table_name = 'unpublished_changes'
"""
COPIED_CHANGES = "select id from operational.unpublished_changes order by id"
ONE_SNAPSHOT = "set transaction isolation level repeatable read, read only"


def copy_operational(
    store: OperationalStore, connection: duckdb.DuckDBPyConnection
) -> dict[str, int]:
    """Bring operational.* up to now in one transaction; return the number of rows of each table."""
    with (
        postgresql.connect(store.dsn) as source,
        source.cursor() as cursor,
        transaction(connection),
    ):
        cursor.execute(ONE_SNAPSHOT)
        follow_tables(cursor, connection, FOLLOWED)
        _copy_whole(cursor, connection, UNPUBLISHED)
        connection.execute(ZONE_OFFSETS.emptied)
        fill_zone_offsets(connection)
        return {
            table.name: len(connection.table(table.relation))
            for table in (*OPERATIONAL, COPIED_TABLES)
        }


def copied_changes(connection: duckdb.DuckDBPyConnection) -> list[int]:
    """Return which unpublished_changes the copy shows; none where an earlier version made it."""
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
