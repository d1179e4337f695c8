"""One followed table: what was written of it since a transaction, and what left it.

Names in statements are those of our own tables and columns; the rest are numbers.
"""

from collections.abc import Mapping, Sequence

from adbc_driver_postgresql import dbapi as postgresql
from duckdb import DuckDBPyConnection

import warehouse.operational.models  # noqa: F401  registers them
from warehouse.operational.base import Base, Followed

KEYS: Mapping[str, Sequence[str]] = {
    str(mapper.local_table): [column.name for column in mapper.primary_key]
    for mapper in Base.registry.mappers
    if issubclass(mapper.class_, Followed)
}
"""The followed tables, and their primary keys."""
COPIED_IN = "copied_in"
"""Where a copied table has this column, it is the number of the copy that brought the row."""


def written_since(cursor: postgresql.Cursor, since: Mapping[str, int]) -> Sequence[str]:
    """Return the tables in which transactions from the given ones on wrote rows."""
    if not since:
        return []
    cursor.execute(
        " union all ".join(
            f"select '{table}' where exists (select from {table} where changed_by >= {first})"  # noqa: S608
            for table, first in since.items()
        )
    )
    return [table for (table,) in cursor.fetchall()]


def left_since(cursor: postgresql.Cursor, since: Mapping[str, int]) -> Mapping[str, bool]:
    """Return the tables that rows left since, and whether all of them did at once."""
    if not since:
        return {}
    reaches = ", ".join(f"('{table}', {first})" for table, first in since.items())
    cursor.execute(
        "select table_name, bool_or(row_key is null)"  # noqa: S608
        f" from departures inner join (values {reaches}) as reaches (table_name, first_transaction)"
        " using (table_name)"
        " where changed_by >= first_transaction"
        f" and changed_by >= {min(since.values())}"  # for the index
        " group by table_name"
    )
    return dict(cursor.fetchall())


def arrive(
    cursor: postgresql.Cursor,
    connection: DuckDBPyConnection,
    table: str,
    copies: int,
    *,
    since: int = 0,
) -> None:
    """Replace the rows that transactions from `since` on wrote; the copy is empty where that is 0.

    `copies` is the number of this copy.
    """
    names = connection.table(f"operational.{table}").columns
    columns = ", ".join(name for name in names if name != COPIED_IN)
    cursor.execute(f"select {columns} from {table} where changed_by >= {since} order by 1")  # noqa: S608
    _take(cursor, connection)
    if since:
        _delete(connection, table)
    numbered = f"select *, {copies} as {COPIED_IN}" if COPIED_IN in names else ""
    connection.execute(f"insert into operational.{table} by name {numbered} from moving")


def leave(
    cursor: postgresql.Cursor, connection: DuckDBPyConnection, table: str, since: int
) -> None:
    """Take out the rows that were deleted since and are not there again."""
    keys = [f"row_key[{place}]" for place, _ in enumerate(KEYS[table], start=1)]
    named = [f"{key} as {name}" for key, name in zip(keys, KEYS[table], strict=True)]
    same = [f"stays.{name} = {key}" for key, name in zip(keys, KEYS[table], strict=True)]
    cursor.execute(
        f"select distinct {', '.join(named)} from departures"  # noqa: S608
        f" where table_name = '{table}' and changed_by >= {since}"
        f" and not exists (select from {table} as stays where {' and '.join(same)})"
    )
    _take(cursor, connection)
    _delete(connection, table)


def _take(cursor: postgresql.Cursor, connection: DuckDBPyConnection) -> None:
    """Keep what the cursor brings in the temporary table `moving`."""
    connection.register("coming", cursor.fetch_record_batch())
    connection.execute("create or replace temporary table moving as from coming")
    connection.unregister("coming")


def _delete(connection: DuckDBPyConnection, table: str) -> None:
    """Delete the rows whose keys `moving` has."""
    same = " and ".join(f"old.{name} = moving.{name}" for name in KEYS[table])
    connection.execute(f"delete from operational.{table} as old using moving where {same}")  # noqa: S608
