"""Months of a big fact: listing them, and writing or linking the files of old ones."""

import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import duckdb

from warehouse.publication.facts import BigFact, Month, first_of_month, months_before, next_month
from warehouse.publication.layout import month_file
from warehouse.publication.previous import PreviousPublication
from warehouse.publication.sql import quoted_path

ROW_GROUP_SIZE = 61_440
"""Rows per Parquet row group, few enough that reading one entity is cheap."""


def first_native(fact: BigFact, today: date) -> date:
    """Return the first day of a fact's rows in DuckDB."""
    return months_before(first_of_month(today), fact.native_months - 1)


def months_of(
    connection: duckdb.DuckDBPyConnection, known: PreviousPublication, fact: BigFact, today: date
) -> list[Month]:
    """Return a fact's months with rows, oldest first. The last ones are native."""
    months = [
        Month(fact, start, end, is_native=start >= first_native(fact, today))
        for start, end in _spans(connection, fact, first_of_month(today))
    ]
    return [
        month for month in months if known.holds_untouched(month) or _has_rows(connection, month)
    ]


def _spans(
    connection: duckdb.DuckDBPyConnection, fact: BigFact, this_month: date
) -> Iterator[tuple[date, date | None]]:
    """Yield start and end of each month from the first row's to this one."""
    earliest = _first_day(connection, fact)
    if earliest is None:
        return
    start = first_of_month(earliest)
    while start < this_month:
        yield start, next_month(start)
        start = next_month(start)
    yield start, None


def _first_day(connection: duckdb.DuckDBPyConnection, fact: BigFact) -> date | None:
    first = f"select make_timestamp(epoch_us(min({fact.time_column})))::date from {fact.relation}"  # noqa: S608 (names of facts.py)
    row = connection.execute(first).fetchone()
    day: date | None = row[0] if row else None
    return day


def _has_rows(connection: duckdb.DuckDBPyConnection, month: Month) -> bool:
    statement = f"select 1 from {month.fact.relation} where {month.condition} limit 1"  # noqa: S608 (names of facts.py)
    return bool(connection.execute(statement).fetchall())


def in_read_order(fact: BigFact, condition: str) -> str:
    """Return the query of a fact's rows that meet a condition, by entity, then second.

    One integer is a much faster sort key than a UUID and a timestamp: the entity's rank among
    these rows above the seconds, which stay below 2^32 until 2106.
    """
    return f"""
        with entities as (
            select {fact.entity_column}, row_number() over (order by {fact.entity_column}) as rank
            from (select distinct {fact.entity_column} from {fact.relation} where {condition})
        )
        select fact.*
        from {fact.relation} as fact
        inner join entities using ({fact.entity_column})
        where {condition}
        order by rank * 4294967296 + epoch_ms({fact.time_column}) // 1000
    """  # noqa: S608 (names of facts.py)


def write_or_link(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    month: Month,
    folder: Path,
) -> None:
    """Write an old month as Parquet, or link the previous publication's file of the same rows."""
    target = month_file(folder, month.fact.name, month.start)
    if previous.holds(month):
        os.link(month_file(previous.folder, month.fact.name, month.start), target)
        return
    connection.execute(
        f"copy ({in_read_order(month.fact, month.condition)}) to {quoted_path(target)} "
        f"(format parquet, compression snappy, row_group_size {ROW_GROUP_SIZE})"
    )
