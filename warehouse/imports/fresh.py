"""Finds the new readings of a file: those neither in raw tables nor in waiting imports.

The set difference runs in DuckDB, which spills to disk. It compares imported readings only: a
scrape of the same values at the same instant is another observation.
"""

from collections.abc import Sequence
from pathlib import Path

import duckdb

from warehouse.landing.schema import REGISTERED

SOURCE = "import"


def write_fresh(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    readings: Path,
    waiting: Sequence[Path],
    target: Path,
) -> int:
    """Write the new readings of `readings` to `target`, in the form of a registered batch.

    `table` names the raw table. `waiting` are registered files that are not ingested yet. Returns
    the number of new readings; each counts once.
    """
    span = connection.execute(
        "select min(captured_at), max(captured_at) from read_parquet(?)", [str(readings)]
    ).fetchone()
    first, last = span or (None, None)
    if first is None:
        return 0
    files = {"waiting": [str(file) for file in waiting]} if waiting else {}
    written = connection.execute(
        _statement(table, with_waiting=bool(waiting)),
        {"kept": str(readings), "target": str(target), "first": first, "last": last, **files},
    )
    [(count,)] = written.fetchall()
    return int(count)


def _statement(table: str, *, with_waiting: bool) -> str:
    key, *facts = REGISTERED[table].names()
    observed = [fact for fact in facts if fact not in {"is_exact", "source"}]
    columns = ", ".join([key, *facts])
    from_waiting = "select * from read_parquet($waiting, union_by_name = true)"
    return f"""
        copy (
            with arriving as (
                select id as {key}, {", ".join(observed)}, true as is_exact, '{SOURCE}' as source
                from read_parquet($kept)
            ),

            there as (
                select {key}::varchar as {key}, {", ".join(facts)}
                from raw.{table}
                where source = '{SOURCE}' and captured_at between $first and $last
                {f"union all by name {from_waiting}" if with_waiting else ""}
            ),

            fresh as (
                select {columns} from arriving
                except
                select {columns} from there
            )

            select * from fresh order by captured_at, {key}
        ) to $target (format parquet)
    """  # noqa: S608  names of our schema
