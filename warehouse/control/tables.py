"""The tables of schema `control`: made when missing, and made anew when the models changed.

They describe a past that was computed by the present models. Where the models are others, that
past is worth nothing, and the next run computes everything.
"""

from duckdb import DuckDBPyConnection

from warehouse.catalogue.control import CONTROL
from warehouse.catalogue.past import PAST, model_of
from warehouse.models_version import models_version


def create_tables(connection: DuckDBPyConnection) -> None:
    """Create what is missing; drop all of it first if the models changed since."""
    version = models_version()
    if _version_there(connection) != version:
        connection.execute("drop schema if exists control cascade")
    connection.execute("create schema if not exists control")
    for table in CONTROL:
        for statement in table.there:
            connection.execute(statement)
    connection.execute(
        "insert into control.models select ? where not exists (from control.models)", [version]
    )


def keep_past(connection: DuckDBPyConnection) -> None:
    """Replace the published past by the tables of the run that was just published."""
    for past in PAST:
        columns = ", ".join(past.column_names)
        computed = f"select {columns} from intermediate.{model_of(past)}"  # noqa: S608 (our own)
        connection.execute(f"delete from {past.relation}")  # noqa: S608 (likewise)
        connection.execute(f"insert into {past.relation} {computed}")


def _version_there(connection: DuckDBPyConnection) -> str | None:
    found = connection.execute(
        "from duckdb_tables() where database_name = current_database()"
        " and schema_name = 'control' and table_name = 'models'"
    ).fetchone()
    if found is None:
        return None
    row = connection.execute("from control.models").fetchone()
    return row[0] if row else None
