"""operational.*: what people decided, copied for the models from one snapshot of PostgreSQL.

Each table's columns are declared in ddl/operational; exactly those are copied, so nothing secret
or personal (key hashes, PINs, e-mail addresses) can come along unless it is written there.
Conversions, which are many and hardly change, come by `incremental_copy`.
"""

from itertools import takewhile
from pathlib import Path

import duckdb
from adbc_driver_postgresql import dbapi as postgresql

from warehouse.operational.store import OperationalStore
from warehouse.raw.incremental_copy import DDL as CONVERSIONS_DDL
from warehouse.raw.incremental_copy import TABLE as CONVERSIONS
from warehouse.raw.incremental_copy import copy_conversions
from warehouse.raw.zone_offsets import fill_zone_offsets
from warehouse.transaction import transaction

DDL = Path(__file__).parent / "ddl" / "operational"
ZONE_OFFSETS = "zone_offsets"


def _purpose(ddl: Path) -> str:
    """Return what the DDL says above its table."""
    lines = takewhile(lambda line: line.startswith("-- "), ddl.read_text("utf-8").splitlines())
    return " ".join(line.removeprefix("-- ") for line in lines)


TABLES = sorted(file.stem for file in DDL.glob("*.sql"))
"""The tables of operational.* made anew; all but ZONE_OFFSETS are PostgreSQL's of those names."""
COPIED = {table: _purpose(DDL / f"{table}.sql") for table in TABLES} | {
    CONVERSIONS: _purpose(CONVERSIONS_DDL)
}
"""All tables of operational.*, and what each holds. A write to any of them asks for a rollup."""
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
        for table in TABLES:
            connection.execute((DDL / f"{table}.sql").read_text(encoding="utf-8"))
            if table != ZONE_OFFSETS:
                _copy(cursor, connection, table)
        fill_zone_offsets(connection)
        copy_conversions(cursor, connection)
        return {table: len(connection.table(f"operational.{table}")) for table in COPIED}


def copied_changes(connection: duckdb.DuckDBPyConnection) -> list[int]:
    """Return which unpublished_changes the copy shows; none where an earlier version made it."""
    if not connection.execute(HAS_CHANGES).fetchall():
        return []
    return [change for (change,) in connection.sql(COPIED_CHANGES).fetchall()]


def _copy(cursor: postgresql.Cursor, connection: duckdb.DuckDBPyConnection, table: str) -> None:
    columns = ", ".join(connection.table(f"operational.{table}").columns)
    cursor.execute(f"select {columns} from {table} order by 1")  # noqa: S608  names from our DDL
    connection.register("arriving", cursor.fetch_record_batch())
    connection.execute(f"insert into operational.{table} select * from arriving")  # noqa: S608
    connection.unregister("arriving")
