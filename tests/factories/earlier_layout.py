"""Files of versions that stored internal tables in the schema `marts` and had no base file."""

from pathlib import Path

import duckdb

from warehouse.publication.facts import BIG_FACTS
from warehouse.publication.layout import base_file, current_folder
from warehouse.publication.relocate import publish_again
from warehouse.publication.sql import attached
from warehouse.publication.views import create_views
from warehouse.settings import Settings

EARLIER = "of an earlier version"
SPANS = "select fact, start, until from files.base"
VIEWS = """
    select schema_name || '.' || view_name, sql
    from duckdb_views()
    where database_name = current_database() and schema_name in ('marts', 'machinery')
"""
TABLES = """
    select table_name
    from duckdb_tables()
    where database_name = current_database() and schema_name = 'machinery'
"""


def publish_in_earlier_layout(settings: Settings) -> Path:
    """Publish the current content again in the earlier layout; return its folder."""
    current = current_folder(settings.publications_path)
    assert current is not None
    made = publish_again(settings.publications_path, current, settings.clock)
    with duckdb.connect(made.path) as connection:
        _take_in_base(connection, made.path.parent)
        _move_machinery(connection)
        connection.execute(
            "update files.views set definition = replace(definition, 'machinery.', 'marts.')"
        )
        connection.execute("update marts.publication set models_version = $1", [EARLIER])
    return made.path.parent


def warehouse_in_earlier_layout(settings: Settings) -> None:
    """Convert the warehouse to the earlier layout."""
    with duckdb.connect(settings.warehouse_path) as connection:
        _move_machinery(connection)
        connection.execute("update control.models set version = $1", [EARLIER])


def _take_in_base(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Move the base file's rows into the publication."""
    with attached(connection, base_file(folder), "base"):
        for fact, start, until in connection.execute(SPANS).fetchall():
            time = next(each for each in BIG_FACTS if each.name == fact)
            rows = f"from base.{fact} where {time.between(start, until)}"
            connection.execute(f"insert into recent.{fact} {rows}")
    base_file(folder).unlink()
    connection.execute("drop table files.base")
    connection.execute("alter table files.months rename in_file to is_native")
    connection.execute("update files.months set is_native = not is_native")
    create_views(connection, folder)


def _move_machinery(connection: duckdb.DuckDBPyConnection) -> None:
    views = dict(connection.execute(VIEWS).fetchall())
    for view in views:
        connection.execute(f"drop view {view}")
    for (table,) in connection.execute(TABLES).fetchall():
        connection.execute(f"create table marts.{table} as from machinery.{table}")
    connection.execute("drop schema machinery cascade")
    while views:  # until each view finds those that it references
        for view, definition in list(views.items()):
            try:
                connection.execute(definition.replace("machinery.", "marts."))
            except duckdb.CatalogException:
                continue
            del views[view]
