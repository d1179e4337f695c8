"""The views that show a big fact as one table: its native months and its Parquet months.

Each Parquet month has an absolute path and constant bounds, so that a filter on time leaves out
the months that it rules out before any of their files is read.
"""

from datetime import date
from pathlib import Path

import duckdb

from warehouse.publication.facts import BIG_FACTS, BigFact
from warehouse.publication.layout import month_file
from warehouse.publication.month import next_month
from warehouse.publication.sql import quoted_name, quoted_path


class TypesChanged(Exception):  # noqa: N818 (reads as what happened)
    """A big fact would read back with other types than the mart has (Parquet has no HUGEINT)."""


def create_views(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Create `marts.<fact>` for each big fact, or replace it, for months' files under `folder`.

    `connection` is on the publication's own file. The files must be readable there already.
    Raises TypesChanged.
    """
    for fact in BIG_FACTS:
        columns = _columns(connection, "recent", fact)
        if not columns:
            continue
        months = _parquet_months(connection, fact)
        connection.execute(
            f"create or replace view marts.{fact.name} as "
            + _union(fact, list(columns), months, folder)
        )
        if _columns(connection, "marts", fact) != columns:
            raise TypesChanged(f"marts.{fact.name} has a type that Parquet cannot keep: {columns}")


def _columns(connection: duckdb.DuckDBPyConnection, schema: str, fact: BigFact) -> dict[str, str]:
    rows = connection.execute(
        """
        select column_name, data_type
        from duckdb_columns()
        where schema_name = $schema and table_name = $fact
        order by column_index
        """,
        {"schema": schema, "fact": fact.name},
    ).fetchall()
    return dict(rows)


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
