"""The months of a big fact: what is in them, and writing one, or taking it over as it was.

A month is taken over from the previous publication when its fingerprint is the same. That costs
one pass over the month's rows (0.02 s a million), far less than sorting and writing them.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import duckdb

from warehouse.publication.facts import BigFact
from warehouse.publication.layout import month_file
from warehouse.publication.sql import quoted_name, quoted_path

ROW_GROUP_SIZE = 61_440
"""Rows of a Parquet row group: small enough that one entity's rows cost little to read."""


@dataclass(frozen=True)
class Month:
    """One month of a big fact as a publication holds it."""

    fact: BigFact
    start: date
    end: date | None
    """First day after it; None for the last one, which takes all that is later."""
    is_native: bool
    rows: int
    fingerprint: str

    @property
    def condition(self) -> str:
        """The SQL condition of its rows."""
        return self.fact.between(self.start, self.end)


def first_of_month(day: date) -> date:
    """Return the first day of the month of `day`."""
    return day.replace(day=1)


def next_month(month: date) -> date:
    """Return the first day of the month after the one that starts at `month`."""
    return first_of_month(month + timedelta(days=31))


def months_of(connection: duckdb.DuckDBPyConnection, fact: BigFact, today: date) -> list[Month]:
    """Return the months of a fact that have rows, oldest first; this and last month are native."""
    this_month = first_of_month(today)
    last_month = first_of_month(this_month - timedelta(days=1))
    months = [
        _month(connection, fact, start, end, is_native=start >= last_month)
        for start, end in _spans(connection, fact, this_month)
    ]
    return [month for month in months if month.rows]


def _spans(
    connection: duckdb.DuckDBPyConnection, fact: BigFact, this_month: date
) -> Iterator[tuple[date, date | None]]:
    """Yield the start and end of each month from the first row's month to this one."""
    earliest = _first_day(connection, fact)
    if earliest is None:
        return
    start = first_of_month(earliest)
    while start < this_month:
        yield start, next_month(start)
        start = next_month(start)
    yield start, None


def _first_day(connection: duckdb.DuckDBPyConnection, fact: BigFact) -> date | None:
    first = f"select make_timestamp(epoch_us(min({fact.time_column})))::date from marts.{fact.name}"  # noqa: S608 (names of facts.py)
    row = connection.execute(first).fetchone()
    day: date | None = row[0] if row else None
    return day


def _month(
    connection: duckdb.DuckDBPyConnection,
    fact: BigFact,
    start: date,
    end: date | None,
    *,
    is_native: bool,
) -> Month:
    rows, fingerprint = _fingerprint(connection, fact, fact.between(start, end))
    return Month(fact, start, end, is_native=is_native, rows=rows, fingerprint=fingerprint)


def _fingerprint(
    connection: duckdb.DuckDBPyConnection, fact: BigFact, condition: str
) -> tuple[int, str]:
    """Return the rows' count, and a hash of all their values with the columns' names and types.

    The order of the rows does not matter. A row's hash is hashed once more: DuckDB combines the
    last column in by XOR, so that two rows could else swap their last values unnoticed.
    """
    columns = connection.execute(f"describe marts.{fact.name}").fetchall()
    names = ", ".join(quoted_name(column[0]) for column in columns)
    shape = ", ".join(f"{column[0]} {column[1]}" for column in columns)
    statement = f"""
        select
            count(*),
            concat_ws('-', count(*), format('{{:016x}}', bit_xor(hash(hash({names})))), md5($shape))
        from marts.{fact.name}
        where {condition}
    """  # noqa: S608 (names from the catalog and facts.py)
    rows, fingerprint = connection.execute(statement, {"shape": shape}).fetchall()[0]
    return rows, fingerprint


def in_read_order(month: Month) -> str:
    """Return the query of a month's rows by entity, then second.

    One integer is a far quicker sort key than a UUID and a timestamp: the entity's place among
    the month's entities above the seconds, which stay below 2^32 until 2106.
    """
    fact = month.fact
    return f"""
        with entities as (
            select {fact.entity_column}, row_number() over (order by {fact.entity_column}) as place
            from (select distinct {fact.entity_column} from marts.{fact.name} where {month.condition})
        )
        select fact.*
        from marts.{fact.name} as fact
        inner join entities using ({fact.entity_column})
        where {month.condition}
        order by place * 4294967296 + epoch_ms({fact.time_column}) // 1000
    """  # noqa: S608, E501 (names of facts.py)


def write_native(connection: duckdb.DuckDBPyConnection, month: Month, rows: str) -> None:
    """Append a month's rows, given as a query in read order, to the native table."""
    connection.execute(f"insert into building.recent.{month.fact.name} {rows}")


def write_parquet(
    connection: duckdb.DuckDBPyConnection, month: Month, rows: str, folder: Path
) -> None:
    """Write a month's rows, given as a query in read order, as Parquet."""
    path = quoted_path(month_file(folder, month.fact.name, month.start))
    connection.execute(
        f"copy ({rows}) to {path} "
        f"(format parquet, compression snappy, row_group_size {ROW_GROUP_SIZE})"
    )


def link_parquet(month: Month, previous: Path, folder: Path) -> None:
    """Take a month's Parquet file over from the previous publication's folder."""
    source = month_file(previous, month.fact.name, month.start)
    os.link(source, month_file(folder, month.fact.name, month.start))
