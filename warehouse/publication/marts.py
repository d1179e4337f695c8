"""Copies the warehouse's marts to a new publication, attached as `building`.

- marts.<mart>, machinery.<table>: each small table, completely
- recent.<fact>: a big fact's rows after those in the base
- files.base: the days of big facts that are read from the base (`base`)
- files.months: the months of big facts, and which are in files
- files.views: definitions of marts that are views
- files.earning: the statements of simulations, see `warehouse.simulation.earning`

`views` creates the views themselves, and those that join a big fact's rows.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import duckdb

from warehouse.catalogue.models import PUBLISHED
from warehouse.connection import transaction
from warehouse.publication.base import provide_base, write_recent
from warehouse.publication.facts import BIG_FACTS, READ_ORDER, BigFact
from warehouse.publication.month import Month
from warehouse.publication.months import months_of, write_or_link
from warehouse.publication.previous import PreviousPublication
from warehouse.publication.sql import quoted_name

CREATE_MONTHS = """
    create table building.files.months (
        fact varchar not null,
        month date not null, -- its first day
        in_file boolean not null -- else in DuckDB
    )
"""

INSERT_MONTHS = """
    insert into building.files.months
    select
        $fact,
        unnest($months),
        unnest($in_file)
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
    unsound: frozenset[str],
) -> None:
    """Write all published tables of the warehouse to `building` and other files in `folder`.

    Small tables that are `unsound` are copied from the previous publication.
    """
    for schema in (*PUBLISHED, "recent", "files"):
        connection.execute(f"create schema building.{schema}")
    tables = _tables(connection)
    names = {table for _, table in tables}
    months = {
        fact: months_of(connection, previous, fact, as_of.astimezone(UTC).date())
        for fact in BIG_FACTS
        if fact.name in names
    }
    for month in chain.from_iterable(months.values()):
        if not month.is_native:
            write_or_link(connection, previous, month, folder)
    spans = provide_base(connection, previous, folder, months, as_of)
    with transaction(connection):  # one transaction, because each commit waits for the disk
        for fact, span in spans.items():
            write_recent(connection, fact, span.until)
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
                    "in_file": [not month.is_native for month in of_fact],
                },
            )
