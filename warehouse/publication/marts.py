"""Copies the warehouse's marts to a new publication, attached as `building`.

- marts.<mart>, machinery.<table>: each small table, completely, unless it did not change
- recent.<fact>: a big fact's rows after those in the base
- files.base: the days of big facts that are read from the base (`base`)
- files.months: the months of big facts, and which are in files
- files.marts: digests of small tables, and which are in files
- files.views: definitions of marts that are views
- files.earning: the statements of simulations, see `warehouse.simulation.earning`

`views` creates the views themselves, and those that join a big fact's rows.
"""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import duckdb

from warehouse.catalogue.models import PUBLISHED
from warehouse.connection import transaction
from warehouse.publication.base import provide_base, write_recent
from warehouse.publication.facts import BIG_FACTS, READ_ORDER
from warehouse.publication.layout import mart_file
from warehouse.publication.months import months_of, write_or_link
from warehouse.publication.previous import PreviousPublication
from warehouse.publication.sql import (
    NEW,
    SMALL_BLOCKS,
    attached,
    digest_of,
    quoted_name,
    write_table,
)

CREATE_VIEWS = """
    create table building.files.views as
    select view_name as mart, sql as definition
    from duckdb_views()
    where database_name = current_database() and schema_name in $published
"""


MONTHS = "fact varchar, month date, in_file boolean"
"""Columns of `files.months`: a month by its first day, which is in a file or in DuckDB."""
MARTS = "schema_name varchar, mart varchar, digest varchar, in_file boolean"
"""Columns of `files.marts`: the digest of a mart's rows and columns."""
WITH_STRUCTS = """
    select distinct table_name
    from duckdb_columns()
    where database_name = current_database() and data_type like 'STRUCT(%)'
"""
BIG = frozenset(fact.name for fact in BIG_FACTS)
LEAST_ROWS = 1_000
"""Fewer rows are cheaper to write than to compare, and than another file to open."""


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
    names = {table for _, table, _ in tables}
    small = [table for table in tables if table[1] not in BIG]
    months = {
        fact: months_of(connection, previous, fact, as_of.astimezone(UTC).date())
        for fact in BIG_FACTS
        if fact.name in names
    }
    all_months = [*chain.from_iterable(months.values())]
    for month in all_months:
        if not month.is_native:
            write_or_link(connection, previous, month, folder)
    spans = provide_base(connection, previous, folder, months, as_of)
    digests = _provide_files(connection, previous, small, folder, unsound)
    with transaction(connection):
        for fact, span in spans.items():
            write_recent(connection, fact, span.until)
        _copy_small(connection, previous, small, digests, unsound)
        connection.execute(CREATE_VIEWS, {"published": PUBLISHED})
        rows = [(month.fact.name, month.start, not month.is_native) for month in all_months]
        write_table(connection, "months", MONTHS, rows)


def _tables(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str, int]]:
    """Return (schema, table, rows), without tables that a killed dbt run left incomplete."""
    return connection.execute(
        """
        select schema_name, table_name, estimated_size
        from duckdb_tables()
        where
            database_name = current_database()
            and schema_name in $published
            and not contains(table_name, '__dbt_')
        order by table_name
        """,
        {"published": PUBLISHED},
    ).fetchall()


def _provide_files(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    tables: Sequence[tuple[str, str, int]],
    folder: Path,
    unsound: frozenset[str],
) -> Mapping[str, tuple[str, bool]]:
    """Link or write the files of unchanged marts. Returns digests, and whether it did, by mart.

    Only the second publication of the same rows writes them to a file, so that a mart that changes
    with each run has none. Structs stay in the publication's own file: read_duckdb of DuckDB 1.5.5
    returns their fields as null.
    """
    with_structs = {mart for (mart,) in connection.execute(WITH_STRUCTS).fetchall()}
    digests: dict[str, tuple[str, bool]] = {}
    for schema, mart, rows in tables:
        if mart not in unsound | with_structs and rows >= LEAST_ROWS:
            digest = digest_of(connection, f"{schema}.{quoted_name(mart)}")
            is_unchanged = digest == previous.digests.get(mart)
            digests[mart] = (digest, is_unchanged)
            if is_unchanged:
                _write_or_link_mart(connection, previous, schema, mart, folder)
    return digests


def _write_or_link_mart(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    schema: str,
    mart: str,
    folder: Path,
) -> None:
    file, target = (mart_file(each, mart) for each in (previous.folder, folder))
    if file.exists():
        os.link(file, target)
        return
    with attached(connection, target, "file", f"{NEW}, {SMALL_BLOCKS}"):
        _copy_rows(connection, f"file.{quoted_name(mart)}", schema, mart)
        connection.execute("checkpoint file")


def _copy_small(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    tables: Sequence[tuple[str, str, int]],
    digests: Mapping[str, tuple[str, bool]],
    unsound: frozenset[str],
) -> None:
    """Copy the small tables without files. Unsound ones stay as published before, or are empty."""
    rows = [(schema, mart, *digests[mart]) for schema, mart, _ in tables if mart in digests]
    write_table(connection, "marts", MARTS, rows)
    in_files = {mart for _, mart, _, in_file in rows if in_file}
    for schema, mart, _ in tables:
        name = f"{schema}.{quoted_name(mart)}"
        if mart in unsound:
            source = previous.source_like(schema, mart) or f"{name} limit 0"
            connection.execute(f"create table building.{name} as from {source}")
        elif mart not in in_files:
            _copy_rows(connection, f"building.{name}", schema, mart)


def _copy_rows(connection: duckdb.DuckDBPyConnection, target: str, schema: str, mart: str) -> None:
    order = READ_ORDER.get(mart)
    connection.execute(
        f"create table {target} as from {schema}.{quoted_name(mart)}"
        + (f" order by {', '.join(order)}" if order else "")
    )
