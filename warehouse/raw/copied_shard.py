"""Whose rows the warehouse's copies are, and up to which batch they tell whose its rows are.

A table of the warehouse says it, because the steps of a run have to agree, and PostgreSQL may say
something else by the next of them.
"""

from adbc_driver_postgresql import dbapi as postgresql
from duckdb import DuckDBPyConnection

from warehouse.catalogue.comments import COMMENT_SCORINGS
from warehouse.catalogue.raw import COPIED_SHARD, INGESTED
from warehouse.catalogue.table import Table
from warehouse.shards.members import Members, digest_of

NEWEST = "select coalesce(max(batch_seq), 0) from registered_batches"
NOTED = "select members, to_batch_seq from raw.copied_shard"
NOTE = "insert into raw.copied_shard (members, to_batch_seq) values (?, ?)"
OWNERS = {"video_id": "operational.videos", "account_id": "operational.accounts"}
"""By which columns of the raw tables a row is somebody's."""


def note_members(
    cursor: postgresql.Cursor, connection: DuckDBPyConnection, members: Members | None
) -> None:
    """Note whose rows the copies from the snapshot of `cursor` are; None is everybody.

    Of other members than before nothing can be continued: what was ingested is taken anew, of them
    alone, and everything is computed. What comments' texts say stays.
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
    """Return the newest batch whose rows the copies tell apart; None where all rows are ours."""
    row = connection.execute(NOTED).fetchone()
    return int(row[1]) if row else None


def own_rows(connection: DuckDBPyConnection, table: Table) -> str:
    """Return the condition by which rows of a raw table are the shard's."""
    if copied_to(connection) is None:
        return "true"
    owned = [
        f"{column}::uuid in (select id from {OWNERS[column]})"  # noqa: S608  ours
        for column in table.column_names
        if column in OWNERS
    ]
    return f"({' or '.join(owned)})"


def copied_members(connection: DuckDBPyConnection) -> str | None:
    """Return the digest of the members whose rows the copies are; None is everybody."""
    row = connection.execute(NOTED).fetchone()
    return str(row[0]) if row else None
