"""The members whose rows the warehouse's copies have, which rows these are, and the newest batch.

Recorded in a table of the warehouse, because the steps of a run have to agree while PostgreSQL may
change. The owner of a row never changes, so a copy that continues never has to drop rows.
"""

from adbc_driver_postgresql import dbapi as postgresql
from duckdb import DuckDBPyConnection

from warehouse.catalogue.raw import COPIED_SHARD, INGESTED
from warehouse.catalogue.readings import COMMENT_SCORINGS
from warehouse.catalogue.table import Table
from warehouse.shards.members import Members, digest_of

NEWEST = "select coalesce(max(batch_seq), 0) from registered_batches"
NOTED = "select members, to_batch_seq from raw.copied_shard"
NOTE = "insert into raw.copied_shard (members, to_batch_seq) values (?, ?)"
OWNERS = {"video_id": "operational.videos", "account_id": "operational.accounts"}
"""The owner table of each id column of raw tables."""


def note_members(
    cursor: postgresql.Cursor, connection: DuckDBPyConnection, members: Members | None
) -> None:
    """Record the members of the copies from the snapshot of `cursor`; None is all organizations.

    If the members changed, nothing can be continued: the members' batches are ingested again, and
    everything is computed. Scores of comment texts stay.
    """
    if copied_members(connection) != digest_of(members):
        for table in (*INGESTED, COMMENT_SCORINGS):
            connection.execute(table.emptied)
        connection.execute("drop schema if exists control cascade")
    connection.execute(COPIED_SHARD.emptied)
    if members is not None:
        cursor.execute(NEWEST)
        [(newest,)] = cursor.fetchall()
        connection.execute(NOTE, [members.digest, newest])


def copied_to(connection: DuckDBPyConnection) -> int | None:
    """Return the newest batch known to the copies, or None if all rows belong to this warehouse."""
    row = connection.execute(NOTED).fetchone()
    return int(row[1]) if row else None


def own_rows(connection: DuckDBPyConnection, table: Table) -> str:
    """Return the condition for the shard's rows of a raw table."""
    if copied_to(connection) is None:
        return "true"
    owned = [
        f"{column}::uuid in (select id from {OWNERS[column]})"  # noqa: S608  ours
        for column in table.column_names
        if column in OWNERS
    ]
    return f"({' or '.join(owned)})"


def copied_members(connection: DuckDBPyConnection) -> str | None:
    """Return the digest of the copies' members; None is all organizations."""
    row = connection.execute(NOTED).fetchone()
    return str(row[0]) if row else None


def rows_of(members: Members | None, table: Table) -> str:
    """Return the condition for the members' rows of a copied table; None is everybody.

    Raises TypeError for a table without a declared owner.
    """
    if members is None:
        return "true"
    if table.owner is None:
        raise TypeError(f"table {table.name} has no declared owner")
    listed = ", ".join(f"'{each}'" for each in sorted(members.organizations)) or "null"
    among = f"coalesce({table.owner} in ({listed}), false)"
    return f"not {among}" if members.rest else among
