"""Creates the views of a publication: big facts, and models that are views.

A big fact's view joins the rows of the base, of the publication's own file, and of Parquet months.
Files have absolute paths (see `opening`), and constant bounds, so that a filter on time excludes
them before they are read.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from graphlib import TopologicalSorter
from itertools import groupby
from pathlib import Path

import duckdb

from warehouse.catalogue.models import PUBLISHED
from warehouse.publication.facts import BIG_FACTS, BigFact, next_month
from warehouse.publication.layout import base_file, mart_file, month_file
from warehouse.publication.sql import in_file, in_parquet, quoted_name

NAMED = re.compile(rf"\b(?:{'|'.join(PUBLISHED)})\.(\w+)")
EXISTING_VIEWS = """
    select view_name, schema_name
    from duckdb_views()
    where database_name = current_database() and schema_name in $published
"""
JUNE = 6
MARTS_IN_FILES = "select mart, schema_name from files.marts where in_file"


class TypesChanged(Exception):  # noqa: N818 (reads as what happened)
    """A big fact would have other types in Parquet than in the mart (Parquet has no HUGEINT)."""


def create_views(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Create all views of published schemas, for the files under `folder`, which must be readable.

    `connection` is to the publication's own file. Existing views are replaced in their schema,
    because another version may have another schema. Raises TypesChanged.
    """
    create_views_of_files(connection, folder)
    create_marts(connection)


def create_views_of_files(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    *,
    attached: str | None = None,
    recent: str = "recent",
) -> None:
    """Create the views of rows that are in files: of big facts, and of small marts.

    DuckDB files are read by path, or attached under their names after this prefix. `recent` is the
    schema of the rows after the base. Raises TypesChanged.
    """
    schema_by_view = _schema_by_view(connection)
    tables = _columns(connection, ["recent", "files"])
    if "marts" in tables:  # earlier versions have none
        _create_marts_in_files(connection, folder, attached)
    facts = [fact for fact in BIG_FACTS if fact.name in tables]
    for fact in facts:
        sources = [
            *_in_base(connection, fact, folder, attached, tables),
            f"{recent}.{fact.name}",
            *_in_months(connection, fact, folder, tables),
        ]
        names = ", ".join(quoted_name(column) for column in tables[fact.name])
        union = " union all ".join(f"select {names} from {source}" for source in sources)  # noqa: S608 (names of facts.py and the catalog)
        schema = schema_by_view.get(fact.name)
        view = f"{schema}.{fact.name}" if schema else fact.relation
        connection.execute(f"create or replace view {view} as {union}")
    made = _columns(connection, PUBLISHED)
    for fact in facts:
        if made[fact.name] != (columns := tables[fact.name]):
            raise TypesChanged(
                f"{fact.relation} has a type that Parquet does not support: {columns}"
            )


def _create_marts_in_files(
    connection: duckdb.DuckDBPyConnection, folder: Path, attached: str | None
) -> None:
    for mart, schema in connection.execute(MARTS_IN_FILES).fetchall():
        source = _source(mart_file(folder, mart), mart, attached)
        name = f"{schema}.{quoted_name(mart)}"
        connection.execute(f"create or replace view {name} as from {source}")


def create_marts(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the marts that are views, with the warehouse's definitions.

    They name tables, big facts and each other by schema.
    """
    schema_by_view = _schema_by_view(connection)
    for mart, definition in derived_marts(connection, "files").items():
        if mart in schema_by_view:
            connection.execute(f"drop view {schema_by_view[mart]}.{quoted_name(mart)}")
        connection.execute(definition)


def derived_marts(connection: duckdb.DuckDBPyConnection, files: str) -> Mapping[str, str]:
    """Return the definitions of marts that are views, dependencies first."""
    views = dict(connection.execute(f"select mart, definition from {files}.views").fetchall())  # noqa: S608 (of ours)
    names = {mart: set(NAMED.findall(views[mart])) & views.keys() - {mart} for mart in views}
    return {mart: views[mart] for mart in TopologicalSorter(names).static_order()}


def _schema_by_view(connection: duckdb.DuckDBPyConnection) -> Mapping[str, str]:
    return dict(connection.execute(EXISTING_VIEWS, {"published": PUBLISHED}).fetchall())


def _columns(
    connection: duckdb.DuckDBPyConnection, schemas: Sequence[str]
) -> dict[str, dict[str, str]]:
    """Return column types by relation, in one query because DuckDB binds every view for it."""
    rows = connection.execute(
        """
        select table_name, column_name, data_type
        from duckdb_columns()
        where database_name = current_database() and schema_name in $schemas
        order by table_name, column_index
        """,
        {"schemas": schemas},
    ).fetchall()
    columns: dict[str, dict[str, str]] = {}
    for relation, column, kind in rows:
        columns.setdefault(relation, {})[column] = kind
    return columns


def _in_base(
    connection: duckdb.DuckDBPyConnection,
    fact: BigFact,
    folder: Path,
    attached: str | None,
    tables: Mapping[str, object],
) -> Iterator[str]:
    """Yield the SQL source of a fact's rows in the base, if there are any."""
    if "base" not in tables:  # of an earlier version
        return
    rows = connection.execute("select start, until from files.base where fact = ?", [fact.name])
    source = _source(base_file(folder), fact.name, attached)
    for start, until in rows.fetchall():
        if start < until:
            yield f"{source} where {fact.between(start, until)}"


def _source(file: Path, table: str, attached: str | None) -> str:
    if attached is None:
        return in_file(file, table)
    return f"{quoted_name(attached + file.stem)}.{quoted_name(table)}"


def _in_months(
    connection: duckdb.DuckDBPyConnection,
    fact: BigFact,
    folder: Path,
    tables: Mapping[str, Mapping[str, str]],
) -> Iterator[str]:
    """Yield the SQL sources of a fact's months in files."""
    condition = "in_file" if "in_file" in tables["months"] else "not is_native"  # earlier versions
    rows = connection.execute(
        f"select month from files.months where fact = ? and {condition} order by month",  # noqa: S608
        [fact.name],
    )
    months = [month for (month,) in rows.fetchall()]
    for together in _together(months):
        files = [month_file(folder, fact.name, month) for month in together]
        days = fact.between(together[0], next_month(together[-1]))
        yield f"{in_parquet(*files)} where {days}"


def _together(months: Sequence[date]) -> Iterator[list[date]]:
    """Yield the months of each source: one of the last year, and half of an earlier one.

    DuckDB opens the first file of each source whenever it binds the view. It opens the others of a
    half-year that a filter on time includes.
    """
    this_year = max(months, default=date.min).year
    for _, group in groupby(
        months,
        lambda month: (month.year, month.month if month.year == this_year else month.month > JUNE),
    ):
        yield [*group]
