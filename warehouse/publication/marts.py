"""Copying the warehouse's marts into the DuckDB file of a new publication, attached as `building`.

- marts.<mart>, machinery.<table>: every small one, whole
- recent.<fact>: the last months of a big fact
- files.months: which months of the big facts there are, and where
- files.views: those that are views, by their definitions
- files.earning: what simulations compute by, see `warehouse.simulation.earning`

The views themselves, and those that join a big fact's months, are made by `views`.
"""

from dataclasses import replace
from datetime import date
from itertools import groupby
from pathlib import Path

import duckdb

from warehouse.catalogue.models import PUBLISHED
from warehouse.publication.facts import BIG_FACTS, READ_ORDER, BigFact
from warehouse.publication.month import Month
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
    today: date,
    *,
    unsound: frozenset[str] = frozenset(),
) -> None:
    """Write every mart of the warehouse, and what they are made of that is published with them.

    Small tables that are `unsound` are those of the previous publication.
    They go into `building` and the months' files of `folder`.
    """
    for schema in (*PUBLISHED, "recent", "files"):
        connection.execute(f"create schema building.{schema}")
    connection.execute(CREATE_MONTHS)
    connection.execute(CREATE_VIEWS, {"published": PUBLISHED})
    big = {fact.name: fact for fact in BIG_FACTS}
    for schema, table in _tables(connection):
        if table in big:
            _copy_fact(connection, previous, folder, big[table], today)
        elif table in unsound:
            _leave(connection, previous, schema, table)
        else:
            _copy_whole(connection, schema, table)


def _tables(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Return schema and name of each table; not of those that a killed dbt run left half built."""
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
    """Take a table over as it was published; it is empty where there was none like it."""
    name = f"{schema}.{quoted_name(table)}"
    rows = f"previous.{name}" if previous.has_like(schema, table) else f"{name} limit 0"
    connection.execute(f"create table building.{name} as from {rows}")


def _copy_fact(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    folder: Path,
    fact: BigFact,
    today: date,
) -> None:
    connection.execute(f"create table building.recent.{fact.name} as from {fact.relation} limit 0")
    months = months_of(connection, previous, fact, today)
    for is_sorted, group in groupby(months, previous.holds_sorted):
        if is_sorted:
            _copy_months(connection, previous, list(group))
            continue
        for month in group:
            _write_month(connection, previous, folder, month)
    if months:
        connection.execute(
            INSERT_MONTHS,
            {
                "fact": fact.name,
                "months": [month.start for month in months],
                "are_native": [month.is_native for month in months],
            },
        )


def _copy_months(
    connection: duckdb.DuckDBPyConnection, previous: PreviousPublication, months: list[Month]
) -> None:
    """Copy native months as they lie, all at once: each alone would cost more than its rows."""
    span = replace(months[0], end=months[-1].end)
    write_native(connection, span, previous.native_rows(span))


def _write_month(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    folder: Path,
    month: Month,
) -> None:
    if month.is_native:
        write_native(connection, month, in_read_order(month))
    elif not previous.holds(month):
        write_parquet(connection, month, in_read_order(month), folder)
    elif previous.is_native(month):
        write_parquet(connection, month, previous.native_rows(month), folder)
    else:
        link_parquet(month, previous.folder, folder)
