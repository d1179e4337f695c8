"""The life of a run: begun before dbt, advanced after publishing.

Belongs here: the run's parameters (control.run, which dbt reads) and the record of the last
published one. Does not belong here: any arithmetic on counts; that is the models'.

A run that dies between the two leaves control.published as it was, so the next run covers the
same readings again.
"""

from dataclasses import dataclass
from datetime import date, datetime
from importlib.resources import files
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.ids import uuid7


@dataclass(frozen=True, slots=True)
class Run:
    """Parameters of one run: readings of batches in (from_batch_seq, to_batch_seq], up to as_of."""

    run_id: UUID
    as_of: datetime
    is_full_refresh: bool
    from_batch_seq: int
    to_batch_seq: int


def begin_run(
    connection: DuckDBPyConnection,
    *,
    as_of: datetime,
    full_refresh: bool = False,
    from_day: date | None = None,
    to_day: date | None = None,
) -> Run:
    """Decide what the next build computes and write it to control.run.

    `from_day` and `to_day` (inclusive) name a range of days to recompute beside what is new.
    """
    _create_tables(connection)
    run = Run(
        run_id=uuid7(),
        as_of=as_of,
        is_full_refresh=True,
        from_batch_seq=0,
        to_batch_seq=_last_batch_seq(connection),
    )
    connection.begin()
    connection.execute("delete from control.run")
    connection.execute(
        "insert into control.run values (?, ?, ?, ?, ?)",
        [run.run_id, run.as_of, run.is_full_refresh, run.from_batch_seq, run.to_batch_seq],
    )
    connection.commit()
    return run


def advance(connection: DuckDBPyConnection, run: Run) -> None:
    """Record that `run` was published, so that the next run starts after it."""
    connection.begin()
    connection.execute("delete from control.published")
    connection.execute(
        "insert into control.published values (?, ?, ?)", [run.run_id, run.as_of, run.to_batch_seq]
    )
    connection.commit()


def _create_tables(connection: DuckDBPyConnection) -> None:
    connection.execute("create schema if not exists control")
    for ddl in sorted(files("warehouse.control").joinpath("ddl").iterdir(), key=lambda f: f.name):
        connection.execute(ddl.read_text())


def _last_batch_seq(connection: DuckDBPyConnection) -> int:
    row = connection.execute("select coalesce(max(batch_seq), 0) from raw.batches").fetchone()
    assert row is not None
    return int(row[0])
