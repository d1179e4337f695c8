"""Copies the warehouse's marts to a new publication, attached as `building`.

- marts.<mart>, machinery.<table>: each small table, completely
- recent.<fact>: the last months of a big fact
- files.months: the months of big facts, and where they are
- files.views: definitions of marts that are views
- files.earning: the statements of simulations, see `warehouse.simulation.earning`

`views` creates the views themselves, and those that join a big fact's months.
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
    """Write all published tables of the warehouse to `building` and the months' files in `folder`.

    Small tables that are `unsound` are copied from the previous publication.
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
    """Copy native months at once, already sorted; one by one each would cost more than its rows."""
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
