"""Compatibility with publications of other versions: this version's macros and views in memory.

Macros are created there, whichever the publication has, and so are views of internal tables, which
older publications have among the marts.
"""

from pathlib import Path

import duckdb

from warehouse.catalogue.models import MACHINERY, PUBLISHED, schemas
from warehouse.publication.layout import DATABASE
from warehouse.publication.sql import quoted_name
from warehouse.rules import SCHEMA, create_rules

PUBLICATION = Path(DATABASE).stem
BESIDE = "of_this_version"
READ_BESIDE = f"set search_path = '{PUBLICATION}.main,{BESIDE}.{SCHEMA},{BESIDE}.{MACHINERY}'"
"""Marts are the publication's. Internal tables and macros resolve to the schemas in memory first.
"""

PUBLISHED_THERE = """
    select
        schema_name,
        table_name
    from duckdb_tables()
    where database_name = $publication and schema_name in $published
    union all
    select
        schema_name,
        view_name
    from duckdb_views()
    where database_name = $publication and schema_name in $published
"""


def put_beside(database: duckdb.DuckDBPyConnection) -> None:
    """Attach them to the read-only publication of `database`."""
    database.execute(f"attach ':memory:' as {BESIDE} (read_write)")
    with database.cursor() as cursor:
        cursor.execute(f"use {BESIDE}")
        create_rules(cursor)
        _create_views_of_machinery(cursor)


def _create_views_of_machinery(cursor: duckdb.DuckDBPyConnection) -> None:
    cursor.execute(f"create schema {MACHINERY}")
    there = cursor.execute(
        PUBLISHED_THERE, {"publication": PUBLICATION, "published": PUBLISHED}
    ).fetchall()
    for schema, name in there:
        if schemas().get(name) == MACHINERY:
            cursor.execute(
                f"create view {MACHINERY}.{name} as from {PUBLICATION}.{schema}.{quoted_name(name)}"
            )
