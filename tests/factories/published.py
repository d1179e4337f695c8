"""The record of a published build, without a build."""

from datetime import datetime

from duckdb import DuckDBPyConnection

from warehouse.control.records import create_tables


def publish_build(connection: DuckDBPyConnection, *, as_of: datetime, to_batch_seq: int) -> None:
    """Record a build as the last published one."""
    create_tables(connection)
    connection.execute("delete from control.published")
    connection.execute(
        "insert into control.published by name select uuid() as run_id, ?::timestamptz as as_of,"
        " ? as to_batch_seq, 0 as to_copy, 0 as to_score_seq, '0' as retracted",
        [as_of, to_batch_seq],
    )
