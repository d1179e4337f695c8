"""Copies the Followed tables of operational.* incrementally.

Each row has the id of the transaction that last wrote it (see `warehouse.operational.origin`);
`departures` names deleted rows. A table is copied completely if ids do not continue (another server
or database, or a restored backup), if it was truncated, and if its columns changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

from adbc_driver_postgresql import dbapi as postgresql
from duckdb import DuckDBPyConnection

from warehouse.catalogue.table import Table
from warehouse.operational.origin import ORIGIN, digest
from warehouse.raw.followed_table import arrive, leave, left_since, written_since
from warehouse.shards.members import Members


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
