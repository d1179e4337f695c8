"""Checks that a publication can be read in place, including its months' files."""

import duckdb

from warehouse.catalogue.models import PUBLISHED
from warehouse.publication.facts import BIG_FACTS
from warehouse.publication.sql import quoted_name

FACTS = """
    select
        schema_name,
        view_name
    from duckdb_views()
    where
        database_name = current_database()
        and schema_name in $published
        and view_name in $facts
"""


def read_facts(cursor: duckdb.DuckDBPyConnection) -> None:
    """Read a row of each big fact. Raises duckdb.Error if a file is missing."""
    named = {"published": PUBLISHED, "facts": [fact.name for fact in BIG_FACTS]}
    for schema, fact in cursor.execute(FACTS, named).fetchall():
        cursor.execute(f"from {schema}.{quoted_name(fact)} limit 1").fetchall()
