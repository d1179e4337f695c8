"""operational.*: what people decided, copied for the models from one snapshot of PostgreSQL.

Each table's columns are declared in ddl/operational; exactly those are copied, so nothing secret
or personal (key hashes, PINs, e-mail addresses) can come along unless it is written there.
All but the two of MADE_ANEW come by `followed_copy`.
"""

from itertools import takewhile
from pathlib import Path

import duckdb
from adbc_driver_postgresql import dbapi as postgresql

from warehouse.operational.store import OperationalStore
from warehouse.raw.followed_copy import follow_tables
from warehouse.raw.zone_offsets import fill_zone_offsets
from warehouse.transaction import transaction

DDL = Path(__file__).parent / "ddl" / "operational"
ZONE_OFFSETS = "zone_offsets"


def _purpose(ddl: Path) -> str:
    """Return what the DDL says above its table."""
    lines = takewhile(lambda line: line.startswith("-- "), ddl.read_text("utf-8").splitlines())
    return " ".join(line.removeprefix("-- ") for line in lines)


COPIED = {file.stem: _purpose(file) for file in sorted(DDL.glob("*.sql"))}
"""All tables of operational.*, and what each holds. A write to any of them asks for a rollup."""
UNPUBLISHED = "unpublished_changes"
MADE_ANEW = {ZONE_OFFSETS, UNPUBLISHED}
"""Those that are made whole each time; all but ZONE_OFFSETS are PostgreSQL's of their names."""
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
        follow_tables(
            cursor, connection, {table: _ddl(table) for table in COPIED.keys() - MADE_ANEW}
        )
        _copy_whole(cursor, connection, UNPUBLISHED)
        connection.execute(_ddl(ZONE_OFFSETS))
        fill_zone_offsets(connection)
        return {table: len(connection.table(f"operational.{table}")) for table in COPIED}


def copied_changes(connection: duckdb.DuckDBPyConnection) -> list[int]:
    """Return which unpublished_changes the copy shows; none where an earlier version made it."""
    if not connection.execute(HAS_CHANGES).fetchall():
        return []
    return [change for (change,) in connection.sql(COPIED_CHANGES).fetchall()]


def _ddl(table: str) -> str:
    return (DDL / f"{table}.sql").read_text(encoding="utf-8")


def _copy_whole(
    cursor: postgresql.Cursor, connection: duckdb.DuckDBPyConnection, table: str
) -> None:
    connection.execute(_ddl(table))
    columns = ", ".join(connection.table(f"operational.{table}").columns)
    cursor.execute(f"select {columns} from {table} order by 1")  # noqa: S608  names from our DDL
    connection.register("arriving", cursor.fetch_record_batch())
    connection.execute(f"insert into operational.{table} select * from arriving")  # noqa: S608
    connection.unregister("arriving")
