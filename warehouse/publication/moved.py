"""Reads a publication in another folder than where it was made.

Its views have absolute paths of months' files, so that any program can read it from any working
directory. Relative paths would depend on each program's settings; paths built while reading cost
0.03 ms per month in every query. So a reader of a moved publication recreates the views in memory
for its folder. `tracker publish --relocate` recreates them for all programs.
"""

from pathlib import Path

import duckdb

from warehouse.catalogue.models import PUBLISHED
from warehouse.publication.layout import DATABASE
from warehouse.publication.sql import quoted_name, quoted_path
from warehouse.publication.views import create_views
from warehouse.rules import SCHEMA, create_rules

PUBLICATION = Path(DATABASE).stem
HERE = "where_it_lies"
SEARCHED = (f"{PUBLICATION}.main", *(f"{HERE}.{schema}" for schema in (SCHEMA, *PUBLISHED)))
READ_HERE = f"set search_path = '{','.join(SEARCHED)}'"

LEADS_TO = """
    select count(*) > 0
    from duckdb_views()
    where
        database_name = $publication
        and schema_name in $published
        and contains(sql, 'read_parquet(')
        and not contains(sql, $folder)
"""
TABLES = """
    select
        schema_name,
        table_name
    from duckdb_tables()
    where database_name = $publication and schema_name in $schemas
"""


def was_moved(database: duckdb.DuckDBPyConnection, folder: Path) -> bool:
    """Return whether the publication in `folder`, opened as `database`, was made elsewhere.

    Without months in files, the location does not matter.
    """
    named = {
        "publication": PUBLICATION,
        "published": PUBLISHED,
        "folder": quoted_path(folder)[:-1] + "/",
    }
    [(leads_elsewhere,)] = database.execute(LEADS_TO, named).fetchall()
    return bool(leads_elsewhere)


def make_views_here(database: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Create the views in memory beside the read-only publication, for months in `folder`."""
    database.execute(f"attach ':memory:' as {HERE} (read_write)")
    schemas = (*PUBLISHED, "recent", "files")
    named = {"publication": PUBLICATION, "schemas": schemas}
    with database.cursor() as cursor:
        tables = cursor.execute(TABLES, named).fetchall()
        cursor.execute(f"use {HERE}")
        create_rules(cursor)
        for schema in schemas:
            cursor.execute(f"create schema {schema}")
        for schema, table in tables:
            name = f"{schema}.{quoted_name(table)}"
            cursor.execute(f"create view {HERE}.{name} as from {PUBLICATION}.{name}")
        create_views(cursor, folder)
