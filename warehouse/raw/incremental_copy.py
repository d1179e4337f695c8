"""operational.conversions: copied by what was written since the last run, not whole.

A row says which transaction wrote it last, by PostgreSQL's own 64-bit number. A snapshot knows the
oldest transaction that was still under way: all before it are seen whole, so that the next copy
starts from it and misses nothing, however late a transaction commits. Times cannot do that.

Rows that were deleted are named by conversion_deletions; those of a deleted event are the ones
whose event is no more. The copy is made anew where the numbers do not go on from the last time:
another server or database, one restored from a backup, or other columns.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from adbc_driver_postgresql import dbapi as postgresql
from duckdb import DuckDBPyConnection

TABLE = "conversions"
DDL = Path(__file__).parent / "ddl" / "incremental" / f"{TABLE}.sql"
ORIGIN = """
    select
        concat_ws('/', system_identifier, timeline_id, oid) as origin,
        pg_snapshot_xmin(pg_current_snapshot())::text::bigint as up_to
    from pg_control_system()
    cross join pg_control_checkpoint()
    cross join pg_database
    where datname = current_database()
"""


@dataclass(frozen=True)
class Copied:
    """How far a copy reaches: transactions of `origin` before `up_to` are in it."""

    origin: str
    layout: str
    up_to: int

    def continues(self, last: "Copied") -> bool:
        """Tell whether what `last` lacks is all in transactions from its `up_to` on."""
        is_same = (self.origin, self.layout) == (last.origin, last.layout)
        return is_same and self.up_to >= last.up_to


def copy_conversions(cursor: postgresql.Cursor, connection: DuckDBPyConnection) -> None:
    """Bring operational.conversions up to the snapshot of `cursor`.

    operational.conversion_events is of the same snapshot already.
    """
    ddl = DDL.read_text(encoding="utf-8")
    now = _reach_of(cursor, ddl)
    last = _last(connection)
    if last is not None and now.continues(last):
        _arrive(cursor, connection, since=last.up_to)
        _leave(cursor, connection, since=last.up_to)
    else:
        connection.execute(ddl)
        _arrive(cursor, connection, since=0)
    _remember(connection, now)


def _reach_of(cursor: postgresql.Cursor, ddl: str) -> Copied:
    cursor.execute(ORIGIN)
    origin, up_to = cursor.fetchall()[0]
    return Copied(origin, hashlib.sha256(ddl.encode()).hexdigest(), up_to)


def _last(connection: DuckDBPyConnection) -> Copied | None:
    found = connection.execute(
        "select origin, layout, up_to from raw.incremental_copies where table_name = ?", [TABLE]
    ).fetchone()
    return Copied(*found) if found else None


def _arrive(cursor: postgresql.Cursor, connection: DuckDBPyConnection, *, since: int) -> None:
    """Replace the rows that transactions from `since` on wrote; take them anew where they are."""
    columns = ", ".join(connection.table(f"operational.{TABLE}").columns)
    cursor.execute(
        f"select {columns} from {TABLE} where changed_by >= {since} order by id"  # noqa: S608  ours
    )
    connection.register("coming", cursor.fetch_record_batch())
    connection.execute("create or replace temporary table arriving as select * from coming")
    connection.unregister("coming")
    _delete(connection, "id in (select id from arriving)")
    connection.execute(f"insert into operational.{TABLE} select * from arriving")  # noqa: S608 ours
    connection.execute("drop table arriving")


def _leave(cursor: postgresql.Cursor, connection: DuckDBPyConnection, *, since: int) -> None:
    """Take out the rows that were deleted, one by one or with their event."""
    cursor.execute(
        f"select conversion_id from conversion_deletions where changed_by >= {since}"  # noqa: S608
    )
    connection.register("leaving", cursor.fetch_arrow_table())
    _delete(connection, "id in (select conversion_id from leaving)")
    connection.unregister("leaving")
    _delete(connection, "conversion_event_id not in (select id from operational.conversion_events)")


def _delete(connection: DuckDBPyConnection, condition: str) -> None:
    connection.execute(f"delete from operational.{TABLE} where {condition}")  # noqa: S608  ours


def _remember(connection: DuckDBPyConnection, copied: Copied) -> None:
    connection.execute("delete from raw.incremental_copies where table_name = ?", [TABLE])
    connection.execute(
        "insert into raw.incremental_copies values (?, ?, ?, ?)",
        [TABLE, copied.origin, copied.layout, copied.up_to],
    )
