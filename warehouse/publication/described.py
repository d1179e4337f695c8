"""What marts mean, in a publication's own catalog: `comment` of tables, views and columns.

It is said once, in the YAML beside each model, and read from there.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain

import duckdb
import yaml

from warehouse.publication.info import MEANS
from warehouse.publication.sql import quoted_name, quoted_text
from warehouse.settings import REPOSITORY

MODELS = "dbt_project/models/marts/**/*.yml"
RELATIONS = """
    select
        'table' as kind,
        table_name as mart
    from duckdb_tables()
    where database_name = current_database() and schema_name = 'marts'
    union all
    select
        'view' as kind,
        view_name as mart
    from duckdb_views()
    where database_name = current_database() and schema_name = 'marts'
"""
COLUMNS = """
    select
        table_name as mart,
        column_name
    from duckdb_columns()
    where database_name = current_database() and schema_name = 'marts'
"""

Described = Mapping[str, tuple[str, Mapping[str, str]]]
"""What each mart means, and its columns, by name."""


def describe(connection: duckdb.DuckDBPyConnection) -> None:
    """Write into the publication that `connection` is on what its marts and columns mean.

    Those that the models of this version do not have stay without.
    """
    statements = "".join(f"{one};" for one in chain(_of_marts(connection), _of_columns(connection)))
    connection.execute(statements)


def _of_marts(connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    for kind, mart in connection.execute(RELATIONS).fetchall():
        if mart in descriptions():
            means, _ = descriptions()[mart]
            yield f"comment on {kind} marts.{quoted_name(mart)} is {quoted_text(means)}"


def _of_columns(connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    for mart, column in connection.execute(COLUMNS).fetchall():
        _, columns = descriptions().get(mart, ("", {}))
        if column in columns:
            name = f"marts.{quoted_name(mart)}.{quoted_name(column)}"
            yield f"comment on column {name} is {quoted_text(columns[column])}"


@cache
def descriptions() -> Described:
    """Return what the marts of this version mean, as their YAML says, and the publication's row."""
    models = chain.from_iterable(
        yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader).get("models", ())
        for path in sorted(REPOSITORY.glob(MODELS))
    )
    of_models = {
        model["name"]: (
            model["description"].strip(),
            {column["name"]: column["description"].strip() for column in model["columns"]},
        )
        for model in models
    }
    return {**of_models, "publication": MEANS}
