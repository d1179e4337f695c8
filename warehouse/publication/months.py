"""Months of a big fact: listing and writing them, or linking those of the previous publication."""

import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import duckdb

from warehouse.publication.facts import BigFact
from warehouse.publication.layout import month_file
from warehouse.publication.month import Month, first_of_month, months_before, next_month
from warehouse.publication.previous import PreviousPublication
from warehouse.publication.sql import quoted_path

ROW_GROUP_SIZE = 61_440
"""Rows per Parquet row group, few enough that reading one entity is cheap."""


def months_of(
    connection: duckdb.DuckDBPyConnection, known: PreviousPublication, fact: BigFact, today: date
) -> list[Month]:
    """Return a fact's months with rows, oldest first. The last ones are native."""
    this_month = first_of_month(today)
    first_native = months_before(this_month, fact.native_months - 1)
    months = [
        Month(fact, start, end, is_native=start >= first_native)
        for start, end in _spans(connection, fact, this_month)
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


def in_read_order(month: Month) -> str:
    """Return the query of a month's rows by entity, then second.

    One integer is a much faster sort key than a UUID and a timestamp: the entity's rank in the
    month above the seconds, which stay below 2^32 until 2106.
    """
    fact = month.fact
    return f"""
        with entities as (
            select {fact.entity_column}, row_number() over (order by {fact.entity_column}) as rank
            from (select distinct {fact.entity_column} from {fact.relation} where {month.condition})
        )
        select fact.*
        from {fact.relation} as fact
        inner join entities using ({fact.entity_column})
        where {month.condition}
        order by rank * 4294967296 + epoch_ms({fact.time_column}) // 1000
    """  # noqa: S608 (names of facts.py)


def write_native(connection: duckdb.DuckDBPyConnection, month: Month, rows: str) -> None:
    """Append a month's rows, a query in read order, to the native table."""
    connection.execute(f"insert into building.recent.{month.fact.name} {rows}")


def write_parquet(
    connection: duckdb.DuckDBPyConnection, month: Month, rows: str, folder: Path
) -> None:
    """Write a month's rows, a query in read order, as Parquet."""
    path = quoted_path(month_file(folder, month.fact.name, month.start))
    connection.execute(
        f"copy ({rows}) to {path} "
        f"(format parquet, compression snappy, row_group_size {ROW_GROUP_SIZE})"
    )


def link_parquet(month: Month, previous: Path, folder: Path) -> None:
    """Link a month's Parquet file from the previous publication's folder."""
    source = month_file(previous, month.fact.name, month.start)
    os.link(source, month_file(folder, month.fact.name, month.start))
