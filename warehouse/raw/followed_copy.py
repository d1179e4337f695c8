"""Copies the Followed tables of operational.* incrementally.

Each row has the id of the transaction that last wrote it (see `warehouse.operational.origin`);
`departures` names deleted rows. A table is copied completely if ids do not continue (another server
or database, or a restored backup), if it was truncated, and if its columns changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

from adbc_driver_postgresql import dbapi as postgresql
from duckdb import DuckDBPyConnection

from warehouse.catalogue.copied import COPIED_IN
from warehouse.catalogue.table import Table
from warehouse.operational.origin import ORIGIN, digest
from warehouse.raw.copied_shard import rows_of
from warehouse.shards.members import Members


def written_since(cursor: postgresql.Cursor, since: Mapping[str, int]) -> Sequence[str]:
    """Return the tables with rows written by transactions from the given ones on."""
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
    """Return the tables with rows deleted since, and whether a table was truncated."""
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
    table: Table,
    copies: int,
    *,
    since: int = 0,
    members: Members | None = None,
) -> None:
    """Replace rows written by transactions from `since` on; with 0, fill the empty copy.

    `copies` is the number of this copy. With `members`, copies only their rows.
    """
    columns = ", ".join(column.name for column in table.columns if column != COPIED_IN)
    written = f"changed_by >= {since} and {rows_of(members, table)}"
    cursor.execute(f"select {columns} from {table.name} where {written} order by 1")  # noqa: S608
    _fetch(cursor, connection)
    if since:
        _delete(connection, table)
    numbered = f"select *, {copies} as {COPIED_IN.name}" if COPIED_IN in table.columns else ""
    connection.execute(f"insert into {table.relation} by name {numbered} from moving")


def leave(
    cursor: postgresql.Cursor, connection: DuckDBPyConnection, table: Table, since: int
) -> None:
    """Delete rows that were deleted in PostgreSQL since and do not exist again."""
    keys = [f"row_key[{position}]" for position, _ in enumerate(table.key, start=1)]
    named = [f"{key} as {name}" for key, name in zip(keys, table.key, strict=True)]
    same = [f"stays.{name} = {key}" for key, name in zip(keys, table.key, strict=True)]
    cursor.execute(
        f"select distinct {', '.join(named)} from departures"  # noqa: S608
        f" where table_name = '{table.name}' and changed_by >= {since}"
        f" and not exists (select from {table.name} as stays where {' and '.join(same)})"
    )
    _fetch(cursor, connection)
    _delete(connection, table)


def _fetch(cursor: postgresql.Cursor, connection: DuckDBPyConnection) -> None:
    """Store the cursor's result in the temporary table `moving`."""
    connection.register("coming", cursor.fetch_record_batch())
    connection.execute("create or replace temporary table moving as from coming")
    connection.unregister("coming")


def _delete(connection: DuckDBPyConnection, table: Table) -> None:
    """Delete the rows whose keys are in `moving`."""
    same = " and ".join(f"old.{name} = moving.{name}" for name in table.key)
    connection.execute(f"delete from {table.relation} as old using moving where {same}")  # noqa: S608


@dataclass(frozen=True)
class Copied:
    """How far a table's copy reaches: it has the transactions of `origin` before `up_to`.

    `copies` is the number of the copy, `left_in` of the last copy that removed rows.
    """

    origin: str
    layout: str
    up_to: int
    copies: int
    left_in: int

    def goes_on(self, origin: str, up_to: int, layout: str) -> bool:
        """Return whether all that this copy lacks is in transactions from its `up_to` on."""
        is_same = (self.origin, self.layout) == (origin, layout)
        return is_same and up_to >= self.up_to


def follow_tables(
    cursor: postgresql.Cursor,
    connection: DuckDBPyConnection,
    tables: Sequence[Table],
    members: Members | None,
) -> None:
    """Update tables to the snapshot of `cursor`, with rows of `members`; None is all organizations.

    Unchanged tables cost only two queries about all of them.
    """
    cursor.execute(ORIGIN)
    origin, up_to = cursor.fetchall()[0]
    last = _last(connection)
    copies = max((copied.copies for copied in last.values()), default=0) + 1
    since = {
        table.name: last[table.name].up_to
        for table in tables
        if table.name in last and last[table.name].goes_on(origin, up_to, _layout(table, members))
    }
    left = left_since(cursor, since)
    following = {table: reach for table, reach in since.items() if not left.get(table)}
    for table in tables:
        if table.name not in following:
            connection.execute(table.emptied)
            arrive(cursor, connection, table, copies, members=members)
        elif table.name in left:
            leave(cursor, connection, table, following[table.name])
    written = written_since(cursor, following)
    for table in tables:
        if table.name in written:
            arrive(cursor, connection, table, copies, since=following[table.name], members=members)
        is_whole = table.name in following and table.name not in left
        left_in = last[table.name].left_in if is_whole else copies
        copied = Copied(origin, _layout(table, members), up_to, copies, left_in)
        _remember(connection, table.name, copied)


def _layout(table: Table, members: Members | None) -> str:
    return digest(f"{table.emptied}{members.digest if members else ''}")


def _last(connection: DuckDBPyConnection) -> Mapping[str, Copied]:
    rows = connection.execute(
        "select table_name, origin, layout, up_to, copies, left_in from raw.copied_tables"
    ).fetchall()
    return {table: Copied(*columns) for table, *columns in rows}


def _remember(connection: DuckDBPyConnection, table: str, copied: Copied) -> None:
    connection.execute("delete from raw.copied_tables where table_name = ?", [table])
    connection.execute(
        "insert into raw.copied_tables values (?, ?, ?, ?, ?, ?)", [table, *astuple(copied)]
    )
