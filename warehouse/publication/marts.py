"""Copying the warehouse's marts into the DuckDB file of a new publication, attached as `building`.

- marts.<mart>: every small mart, whole
- recent.<fact>: the last months of a big fact
- files.months: which months of the big facts there are, and where
- files.views: the marts that are views, by their definitions

The views themselves, and those that join a big fact's months, are made by `views`.
"""

from datetime import date
from pathlib import Path

import duckdb

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
    where database_name = current_database() and schema_name = 'marts'
"""


def copy_marts(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    folder: Path,
    today: date,
) -> None:
    """Write every mart of the warehouse into `building` and the months' files of `folder`."""
    for schema in ("marts", "recent", "files"):
        connection.execute(f"create schema building.{schema}")
    connection.execute(CREATE_MONTHS)
    connection.execute(CREATE_VIEWS)
    marts = _marts(connection)
    big = {fact.name: fact for fact in BIG_FACTS}
    for mart in marts:
        if mart in big:
            _copy_fact(connection, previous, folder, big[mart], today)
        else:
            _copy_whole(connection, mart)


def _marts(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the names of the tables; not of those that a killed dbt run left half built."""
    rows = connection.execute(
        """
        select table_name
        from information_schema.tables
        where
            table_catalog = current_database()
            and table_schema = 'marts'
            and table_type = 'BASE TABLE'
            and not contains(table_name, '__dbt_')
        order by table_name
        """
    ).fetchall()
    return [name for (name,) in rows]


def _copy_whole(connection: duckdb.DuckDBPyConnection, mart: str) -> None:
    order = READ_ORDER.get(mart)
    name = quoted_name(mart)
    connection.execute(
        f"create table building.marts.{name} as from marts.{name}"
        + (f" order by {', '.join(order)}" if order else "")
    )


def _copy_fact(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    folder: Path,
    fact: BigFact,
    today: date,
) -> None:
    connection.execute(
        f"create table building.recent.{fact.name} as from marts.{fact.name} limit 0"
    )
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
