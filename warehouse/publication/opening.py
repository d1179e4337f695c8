"""Opens a publication as readers of this service do: its files attached, its views in memory.

The stored views have absolute paths of the base and of months, so that any program can read them
from any working directory. Relative paths would depend on each program's settings; paths built
while reading cost 0.03 ms per month in every query. The views in memory also read a publication in
another folder than where it was made, and read an attached base in half the time of `read_duckdb`
(DuckDB 1.5.5). `tracker publish --relocate` recreates the stored ones for all programs.
"""

from pathlib import Path

import duckdb

from warehouse.catalogue.models import PUBLISHED, schemas
from warehouse.publication.facts import BIG_FACTS
from warehouse.publication.info import read_info
from warehouse.publication.layout import DATABASE, MONTHS
from warehouse.publication.sql import quoted_name, quoted_path
from warehouse.publication.views import create_marts, create_views_of_files
from warehouse.rules import SCHEMA, create_rules

PUBLICATION = Path(DATABASE).stem
SCHEMAS = (*PUBLISHED, "recent", "files")
HERE = "where_it_lies"
SEARCHED = (f"{PUBLICATION}.main", *(f"{HERE}.{schema}" for schema in (SCHEMA, *PUBLISHED)))
READ_HERE = f"set search_path = '{','.join(SEARCHED)}'"

LEADS_ELSEWHERE = """
    select count(*) > 0
    from duckdb_views()
    where
        database_name = current_database()
        and schema_name in $published
        and (contains(sql, 'read_parquet(') or contains(sql, 'read_duckdb('))
        and not contains(sql, $folder)
"""
RELATIONS = """
    select schema_name, {kind}_name
    from duckdb_{kind}s()
    where database_name = $publication and schema_name in $schemas
"""
FACTS = """
    select schema_name, view_name
    from duckdb_views()
    where
        database_name = current_database()
        and schema_name in $published
        and view_name in $facts
"""


def was_moved(connection: duckdb.DuckDBPyConnection, folder: Path) -> bool:
    """Return whether the publication in `folder`, opened by `connection`, was made elsewhere."""
    named = {"published": PUBLISHED, "folder": quoted_path(folder)[:-1] + "/"}
    [(leads_elsewhere,)] = connection.execute(LEADS_ELSEWHERE, named).fetchall()
    return bool(leads_elsewhere)


def attach_here(database: duckdb.DuckDBPyConnection, folder: Path, name: str) -> None:
    """Attach the publication in `folder` to be read as `name`, wherever it was made.

    Its own file is attached as `<name>_file`.
    """
    file = f"{name}_file"
    database.execute(f"attach {quoted_path(folder / DATABASE)} as {file} (read_only)")
    make_views_here(database, folder, file, name)


def make_views_here(
    database: duckdb.DuckDBPyConnection,
    folder: Path,
    publication: str = PUBLICATION,
    views: str = HERE,
) -> None:
    """Create the views of the publication in `folder` in memory, as a database named `views`.

    It is attached as `publication`. They have this version's macros, and its schemas: others had
    internal tables among the marts. Views of other models stay as they are stored, because their
    version may have another layout of files. These read files by path, and DuckDB 1.5.5 fails or
    ends the process if a statement reads one twice that is attached too: then none is attached.
    """
    database.execute(f"attach ':memory:' as {views} (read_write)")
    with database.cursor() as cursor:
        cursor.execute(f"use {views}")
        create_rules(cursor)
        cursor.execute("".join(f"create schema {schema};" for schema in SCHEMAS))
        _show(cursor, publication, "table")
        if read_info(cursor).is_of_other_models:
            _show(cursor, publication, "view")
        else:
            attached = f"{views} "
            for file in (folder / MONTHS).glob("*.duckdb"):
                name = quoted_name(attached + file.stem)
                database.execute(f"attach {quoted_path(file)} as {name} (read_only)")
            create_views_of_files(cursor, folder, attached=attached, recent=f"{publication}.recent")
            create_marts(cursor)


def _show(cursor: duckdb.DuckDBPyConnection, publication: str, kind: str) -> None:
    """Create views of the publication's tables or views."""
    these = {"publication": publication, "schemas": SCHEMAS}
    for schema, relation in cursor.execute(RELATIONS.format(kind=kind), these).fetchall():
        here = schema if schema == "recent" else schemas().get(relation, schema)
        name = quoted_name(relation)
        cursor.execute(f"create view {here}.{name} as from {publication}.{schema}.{name}")


def read_facts(cursor: duckdb.DuckDBPyConnection) -> None:
    """Read a row of each big fact. Raises duckdb.Error if a file is missing."""
    named = {"published": PUBLISHED, "facts": [fact.name for fact in BIG_FACTS]}
    for schema, fact in cursor.execute(FACTS, named).fetchall():
        cursor.execute(f"from {schema}.{quoted_name(fact)} limit 1").fetchall()
