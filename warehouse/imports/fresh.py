"""Readings of a file that no earlier import brought, as a file of the raw table's columns."""

from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import duckdb

from warehouse.landing.schema import REGISTERED
from warehouse.publication.sql import ALONE, in_parquet
from warehouse.raw.inserting import TABLES as RAW_TABLES

SOURCE = "import"


def write_fresh(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    readings: Path,
    waiting: Sequence[Path],
    target: Path,
    *,
    retracted: Sequence[UUID],
) -> int:
    """Write the new readings of `readings` to `target`, in the form of a registered batch.

    `table` names the raw table. `waiting` are registered files that are not ingested yet. Readings
    of `retracted` batches count as new. Returns the number of new readings; each counts once.
    """
    span = connection.execute(
        f"from {in_parquet(readings)} select min(captured_at), max(captured_at)"
    ).fetchone()
    first, last = span or (None, None)
    if first is None:
        return 0
    files = {"waiting": [str(file) for file in waiting]} if waiting else {}
    written = connection.execute(
        _statement(table, with_waiting=bool(waiting)),
        {
            "kept": str(readings),
            "target": str(target),
            "first": first,
            "last": last,
            "retracted": list(retracted),
            **files,
        },
    )
    [(count,)] = written.fetchall()
    return int(count)


def _statement(table: str, *, with_waiting: bool) -> str:
    key, *facts = REGISTERED[table].names()
    observed = [fact for fact in facts if fact not in {"is_exact", "source"}]
    columns = ", ".join([key, *facts])
    from_waiting = f"from read_parquet($waiting, union_by_name = true, {ALONE})"
    return f"""
        copy (
            with arriving as (
                select id as {key}, {", ".join(observed)}, true as is_exact, '{SOURCE}' as source
                from read_parquet($kept, {ALONE})
            ),

            there as (
                select {key}::varchar as {key}, {", ".join(facts)}
                from {RAW_TABLES[table].everything}
                where source = '{SOURCE}' and captured_at between $first and $last
                    and batch_seq not in (
                        select batch_seq from raw.batches
                        where batch_id in (select unnest($retracted::uuid[]))
                    )
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
