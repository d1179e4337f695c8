"""`marts` of the lake: a view of each mart over all shards' schemas."""

from collections.abc import Collection

import duckdb

from warehouse.catalogue.models import MARTS
from warehouse.publication.sql import quoted_name

SHARDS = """
    select schema_name
    from duckdb_tables()
    where database_name = 'lake' and table_name = $mart
    order by schema_name
"""


def create_views(connection: duckdb.DuckDBPyConnection, marts: Collection[str]) -> None:
    """Define the views of these marts anew, by which shards have them and with which columns.

    A column that a shard does not have yet is null in its rows. The views name no catalog: the
    lake is attached under any name.
    """
    if marts:
        connection.execute(f"create schema if not exists lake.{MARTS}")
    for mart in sorted(marts):
        name = quoted_name(mart)
        schemas = connection.execute(SHARDS, {"mart": mart}).fetchall()
        shards = [f"select * from {quoted_name(schema)}.{name}" for (schema,) in schemas]  # noqa: S608 (names from the catalog)
        connection.execute(f"drop view if exists lake.{MARTS}.{name}")
        if shards:
            union = " union all by name ".join(shards)
            connection.execute(f"create view lake.{MARTS}.{name} as {union}")
