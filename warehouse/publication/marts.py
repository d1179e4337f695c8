"""Copying the warehouse's marts into the DuckDB file of a new publication, attached as `building`.

- marts.<mart>, machinery.<table>: every small one, whole
- recent.<fact>: the last months of a big fact
- files.months: which months of the big facts there are, and where
- files.views: those that are views, by their definitions
- files.earning: what simulations compute by, see `warehouse.simulation.earning`

The views themselves, and those that join a big fact's months, are made by `views`.
"""

from datetime import date
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
) -> None:
    """Write every mart of the warehouse, and what they are made of that is published with them.

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


def _copy_fact(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    folder: Path,
    fact: BigFact,
    today: date,
) -> None:
    connection.execute(f"create table building.recent.{fact.name} as from {fact.relation} limit 0")
    for month in months_of(connection, previous, fact, today):
        _copy_month(connection, previous, folder, month)
        connection.execute(
            "insert into building.files.months values (?, ?, ?)",
            [fact.name, month.start, month.is_native],
        )


def _copy_month(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    folder: Path,
    month: Month,
) -> None:
    is_held = previous.holds(month)
    if is_held and not month.is_native and not previous.is_native(month):
        link_parquet(month, previous.folder, folder)
        return
    is_sorted = is_held and previous.is_native(month)
    rows = previous.native_rows(month) if is_sorted else in_read_order(month)
    if month.is_native:
        write_native(connection, month, rows)
    else:
        write_parquet(connection, month, rows, folder)
