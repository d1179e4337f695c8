"""A publication that lies elsewhere than where it was made: copied, or its data folder was moved.

Its views lead to months' files by absolute paths, so that any program can read it wherever that
program runs. Relative ones would depend on each program's settings, and paths made when they are
read cost 0.03 ms a month in every query. So whoever opens one that was moved makes the views anew,
in memory, for where it lies. `tracker publish --relocate` makes them so for all programs.
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
    """Tell whether the publication in `folder`, which `database` is on, was made elsewhere.

    One without months in files of their own is the same everywhere.
    """
    named = {
        "publication": PUBLICATION,
        "published": PUBLISHED,
        "folder": quoted_path(folder)[:-1] + "/",
    }
    [(leads_elsewhere,)] = database.execute(LEADS_TO, named).fetchall()
    return bool(leads_elsewhere)


def make_views_here(database: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Make the views anew beside the publication, which is read-only, for months in `folder`."""
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
