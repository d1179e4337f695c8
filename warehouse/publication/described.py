"""Writes descriptions to a publication's catalog: `comment` of tables, views and columns.

They come from the YAML beside each model, or of a model upstream (`warehouse.catalogue.meanings`).
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain

import duckdb

from warehouse.catalogue.meanings import project
from warehouse.catalogue.models import PUBLISHED, schemas
from warehouse.publication.info import MEANS
from warehouse.publication.sql import quoted_name, quoted_text

RELATIONS = " union all ".join(
    f"""
    select '{kind}' as kind, schema_name, {kind}_name as mart
    from duckdb_{kind}s()
    where database_name = current_database() and schema_name in $published
    """  # noqa: S608 (of two)
    for kind in ("table", "view")
)
COLUMNS = """
    select schema_name, table_name as mart, column_name
    from duckdb_columns()
    where database_name = current_database() and schema_name in $published
"""

OF_PUBLISHED = {"published": PUBLISHED}

Described = Mapping[str, tuple[str, Mapping[str, str]]]
"""By mart: its description, and those of its columns."""


def describe(connection: duckdb.DuckDBPyConnection) -> None:
    """Write the descriptions of marts and columns into the publication of `connection`.

    Marts that this version's models lack stay without.
    """
    statements = "".join(
        f"{statement};" for statement in chain(_of_marts(connection), _of_columns(connection))
    )
    connection.execute(statements)


def _of_marts(connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    for kind, schema, mart in connection.execute(RELATIONS, OF_PUBLISHED).fetchall():
        if mart in descriptions():
            means, _ = descriptions()[mart]
            yield f"comment on {kind} {schema}.{quoted_name(mart)} is {quoted_text(means)}"


def _of_columns(connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    for schema, mart, column in connection.execute(COLUMNS, OF_PUBLISHED).fetchall():
        _, columns = descriptions().get(mart, ("", {}))
        if column in columns:
            name = f"{schema}.{quoted_name(mart)}.{quoted_name(column)}"
            yield f"comment on column {name} is {quoted_text(columns[column])}"


@cache
def descriptions() -> Described:
    """Return the descriptions of this version's marts and of the table `publication`."""
    of_models = {
        name: (
            model.means,
            {column: project().column_meaning(name, column) for column in model.columns},
        )
        for name, model in project().models.items()
        if schemas()[name] in PUBLISHED
    }
    return {**of_models, "publication": MEANS}
