"""Copies the warehouse's marts to a new publication, attached as `building`.

- marts.<mart>, machinery.<table>: each small table, completely
- recent.<fact>: the last months of a big fact
- files.months: the months of big facts, and where they are
- files.views: definitions of marts that are views
- files.earning: the statements of simulations, see `warehouse.simulation.earning`

`views` creates the views themselves, and those that join a big fact's months.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import duckdb

from warehouse.catalogue.models import PUBLISHED
from warehouse.publication.facts import BIG_FACTS, READ_ORDER, BigFact
from warehouse.publication.file_copy import strip
from warehouse.publication.month import Month, tail_from, tail_of
from warehouse.publication.months import (
    in_read_order,
    link_parquet,
    months_of,
    write_native,
    write_parquet,
)
from warehouse.publication.previous import PreviousPublication
from warehouse.publication.sql import quoted_name

CREATE_MONTHS = """
    create table building.files.months (
        fact varchar not null,
        month date not null, -- its first day
        is_native boolean not null -- else a Parquet file
    )
"""

INSERT_MONTHS = """
    insert into building.files.months
    select
        $fact,
        unnest($months),
        unnest($are_native)
"""

CREATE_VIEWS = """
    create table building.files.views as
    select
        view_name as mart,
        sql as definition
    from duckdb_views()
    where database_name = current_database() and schema_name in $published
"""


def copy_marts(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    folder: Path,
    as_of: datetime,
    *,
    is_copy: bool,
    unsound: frozenset[str],
) -> None:
    """Write all published tables of the warehouse to `building` and the months' files in `folder`.

    `is_copy`: `building` is a copy of the previous publication's file. Small tables that are
    `unsound` are copied from the previous publication.
    """
    tables = _tables(connection)
    tail = tail_from(as_of)
    months = {
        fact: months_of(connection, previous, fact, as_of.astimezone(UTC).date())
        for fact in BIG_FACTS
        if fact.name in {table for _, table in tables}
    }
    staying = strip(connection, previous, months, tail) if is_copy else frozenset[BigFact]()
    for schema in (*PUBLISHED, "recent", "files"):
        connection.execute(f"create schema if not exists building.{schema}")
    for fact, of_fact in months.items():
        parts = [part for month in of_fact for part in month.cut(tail) if part.start < tail]
        if fact in staying:
            parts = [part for part in parts if not part.is_native]
        else:
            _create_recent(connection, fact)
        _write_parts(connection, previous, folder, parts)
    # What later publications of the day replace follows at the end, where the file can shrink.
    connection.execute("checkpoint building")
    for fact in months:
        if not (fact in staying and previous.holds_untouched(tail_of(fact, tail))):
            _write_parts(connection, previous, folder, [tail_of(fact, tail)])
    _copy_small(connection, previous, tables, unsound)
    connection.execute(CREATE_VIEWS, {"published": PUBLISHED})
    _note_months(connection, months)


def _tables(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Return (schema, table), without tables that a killed dbt run left incomplete."""
    return connection.execute(
        """
        select
            schema_name,
            table_name
        from duckdb_tables()
        where
            database_name = current_database()
            and schema_name in $published
            and not contains(table_name, '__dbt_')
        order by table_name
        """,
        {"published": PUBLISHED},
    ).fetchall()


def _copy_small(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    tables: Sequence[tuple[str, str]],
    unsound: frozenset[str],
) -> None:
    big = {fact.name for fact in BIG_FACTS}
    for schema, table in tables:
        if table in unsound:
            _leave(connection, previous, schema, table)
        elif table not in big:
            _copy_whole(connection, schema, table)


def _copy_whole(connection: duckdb.DuckDBPyConnection, schema: str, table: str) -> None:
    order = READ_ORDER.get(table)
    name = f"{schema}.{quoted_name(table)}"
    connection.execute(
        f"create table building.{name} as from {name}"
        + (f" order by {', '.join(order)}" if order else "")
    )


def _leave(
    connection: duckdb.DuckDBPyConnection, previous: PreviousPublication, schema: str, table: str
) -> None:
    """Copy a table from the previous publication, or create it empty if there was no such table."""
    name = f"{schema}.{quoted_name(table)}"
    rows = f"previous.{name}" if previous.has_like(schema, table) else f"{name} limit 0"
    connection.execute(f"create table building.{name} as from {rows}")


def _create_recent(connection: duckdb.DuckDBPyConnection, fact: BigFact) -> None:
    connection.execute(f"create table building.recent.{fact.name} as from {fact.relation} limit 0")


def _note_months(
    connection: duckdb.DuckDBPyConnection, months: Mapping[BigFact, Sequence[Month]]
) -> None:
    connection.execute(CREATE_MONTHS)
    for fact, of_fact in months.items():
        if of_fact:
            connection.execute(
                INSERT_MONTHS,
                {
                    "fact": fact.name,
                    "months": [month.start for month in of_fact],
                    "are_native": [month.is_native for month in of_fact],
                },
            )


def _write_parts(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    folder: Path,
    parts: Iterable[Month],
) -> None:
    for is_sorted, group in groupby(parts, previous.holds_sorted):
        if is_sorted:
            _copy_parts(connection, previous, list(group))
            continue
        for part in group:
            _write_part(connection, previous, folder, part)


def _copy_parts(
    connection: duckdb.DuckDBPyConnection, previous: PreviousPublication, parts: list[Month]
) -> None:
    """Copy native parts at once, already sorted; one by one each would cost more than its rows."""
    write_native(connection, parts[0], previous.native_rows(*parts))


def _write_part(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    folder: Path,
    part: Month,
) -> None:
    if part.is_native:
        write_native(connection, part, in_read_order(part))
    elif not previous.holds(part):
        write_parquet(connection, part, in_read_order(part), folder)
    elif not previous.is_native(part):
        link_parquet(part, previous.folder, folder)
    else:
        is_sorted = previous.is_sorted(part)
        rows = previous.native_rows(part) if is_sorted else in_read_order(part)
        write_parquet(connection, part, rows, folder)
