"""Creates the views of a publication: big facts, and models that are views.

A big fact's view joins its native and Parquet months. Each Parquet month has an absolute path (see
`moved`) and constant bounds, so that a filter on time excludes months before their files are read.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from graphlib import TopologicalSorter
from pathlib import Path

import duckdb

from warehouse.catalogue.models import PUBLISHED
from warehouse.publication.facts import BIG_FACTS, BigFact
from warehouse.publication.layout import month_file
from warehouse.publication.month import next_month
from warehouse.publication.sql import quoted_name, quoted_path

NAMED = re.compile(rf"\b(?:{'|'.join(PUBLISHED)})\.(\w+)")
EXISTING_VIEWS = """
    select
        view_name,
        schema_name
    from duckdb_views()
    where database_name = current_database() and schema_name in $published
"""


class TypesChanged(Exception):  # noqa: N818 (reads as what happened)
    """A big fact would have other types in Parquet than in the mart (Parquet has no HUGEINT)."""


def create_views(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Create all views of published schemas, for months' files under `folder`.

    `connection` is to the publication's own file, and the files must be readable. Existing views
    are replaced in their schema, because another version may have another schema. Raises
    TypesChanged.
    """
    schema_by_view = dict(connection.execute(EXISTING_VIEWS, {"published": PUBLISHED}).fetchall())
    _create_facts(connection, folder, schema_by_view)
    _create_marts(connection, schema_by_view)


def _create_marts(connection: duckdb.DuckDBPyConnection, schema_by_view: Mapping[str, str]) -> None:
    """Create the marts that are views, with the warehouse's definitions.

    They name tables, big facts and each other by schema; dependencies are created first.
    """
    views = dict(connection.execute("select mart, definition from files.views").fetchall())
    names = {mart: set(NAMED.findall(views[mart])) & views.keys() - {mart} for mart in views}
    for mart in TopologicalSorter(names).static_order():
        if mart in schema_by_view:
            connection.execute(f"drop view {schema_by_view[mart]}.{quoted_name(mart)}")
        connection.execute(views[mart])


def _create_facts(
    connection: duckdb.DuckDBPyConnection, folder: Path, schema_by_view: Mapping[str, str]
) -> None:
    recent = _columns(connection, ["recent"])
    facts = [fact for fact in BIG_FACTS if fact.name in recent]
    for fact in facts:
        months = _parquet_months(connection, fact)
        view = (
            f"{schema_by_view[fact.name]}.{fact.name}"
            if fact.name in schema_by_view
            else fact.relation
        )
        connection.execute(
            f"create or replace view {view} as "
            + _union(fact, list(recent[fact.name]), months, folder)
        )
    made = _columns(connection, PUBLISHED)
    for fact in facts:
        if made[fact.name] != (columns := recent[fact.name]):
            raise TypesChanged(
                f"{fact.relation} has a type that Parquet does not support: {columns}"
            )


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


def _parquet_months(connection: duckdb.DuckDBPyConnection, fact: BigFact) -> list[date]:
    rows = connection.execute(
        "select month from files.months where fact = $fact and not is_native order by month",
        {"fact": fact.name},
    ).fetchall()
    return [month for (month,) in rows]


def _union(fact: BigFact, columns: list[str], months: list[date], folder: Path) -> str:
    names = ", ".join(quoted_name(column) for column in columns)
    sources = [
        f"read_parquet({quoted_path(month_file(folder, fact.name, month))})"
        f" where {fact.between(month, next_month(month))}"
        for month in months
    ]
    native = f"recent.{fact.name}"
    return " union all ".join(f"select {names} from {source}" for source in [native, *sources])  # noqa: S608 (names of facts.py and the catalog)
