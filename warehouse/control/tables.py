"""The tables of schema `control`, recreated if the models changed.

They describe a past computed by the present models. If the models changed, that past is invalid,
and the next build computes everything. Tables of models that were removed or moved to another
schema are dropped, because no build would update them.
"""

from duckdb import DuckDBPyConnection

from warehouse.catalogue.control import CONTROL
from warehouse.catalogue.models import LAYERS, schemas
from warehouse.catalogue.past import PAST, model_of
from warehouse.models_version import models_version

MADE = """
    select
        'table' as kind,
        schema_name,
        table_name as model
    from duckdb_tables()
    where database_name = current_database() and schema_name in $layers
    union all
    select
        'view' as kind,
        schema_name,
        view_name as model
    from duckdb_views()
    where database_name = current_database() and schema_name in $layers
"""


def create_tables(connection: DuckDBPyConnection) -> None:
    """Create missing tables. If the models changed, drop all first.

    This also drops tables that no model builds any more.
    """
    version = models_version()
    if _version_there(connection) != version:
        _drop_what_nothing_makes(connection)
        connection.execute("drop schema if exists control cascade")
    connection.execute("create schema if not exists control")
    for table in CONTROL:
        for statement in table.there:
            connection.execute(statement)
    connection.execute(
        "insert into control.models select ? where not exists (from control.models)", [version]
    )


def replace_past(connection: DuckDBPyConnection) -> None:
    """Replace the published past by the tables of the build that was just published."""
    for past in PAST:
        columns = ", ".join(past.column_names)
        computed = f"select {columns} from intermediate.{model_of(past)}"  # noqa: S608 (our own)
        connection.execute(f"delete from {past.relation}")  # noqa: S608 (likewise)
        connection.execute(f"insert into {past.relation} {computed}")


def _drop_what_nothing_makes(connection: DuckDBPyConnection) -> None:
    for kind, schema, model in connection.execute(MADE, {"layers": LAYERS}).fetchall():
        if schemas().get(model) != schema:
            connection.execute(f'drop {kind} {schema}."{model}"')


def _version_there(connection: DuckDBPyConnection) -> str | None:
    table_row = connection.execute(
        "from duckdb_tables() where database_name = current_database()"
        " and schema_name = 'control' and table_name = 'models'"
    ).fetchone()
    if table_row is None:
        return None
    row = connection.execute("from control.models").fetchone()
    return row[0] if row else None
