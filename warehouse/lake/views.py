"""`marts` of the lake: a view of each mart over all shards' schemas.

What several shards have is read from the shard that published it last, as in the API: a moved
organization counts once.
"""

from collections.abc import Collection, Sequence

import duckdb

from warehouse.catalogue.models import MARTS
from warehouse.publication.sql import quoted_name

SHARDS = """
    select
        schema_name,
        list(column_name)
    from duckdb_columns()
    where database_name = 'lake' and table_name = $mart and schema_name <> $marts
    group by schema_name
    order by schema_name
"""
ELSEWHERE = "shards.organizations_elsewhere"
"""Organizations (`id`) of a shard that another shard published later."""
OWNERS = {
    "project_id": "projects",
    "video_id": "videos",
    "account_id": "accounts",
    "campaign_id": "campaigns",
    "creator_id": "creators",
}
"""Marts with the organization of an entity, by their id column; the first match counts."""
OF_ANYTHING = ("entity_id", "item_id")
LATER = "row_number() over (partition by id order by as_of desc, published_at desc, shard) > 1"
IS_THERE = """
    select count(*)
    from duckdb_views()
    where database_name = 'lake' and schema_name || '.' || view_name = $view
"""


def create_views(connection: duckdb.DuckDBPyConnection, marts: Collection[str]) -> None:
    """Define the views of these marts by the shards that have them, and their columns.

    A column that a shard lacks is null. The views name no catalog, because the lake can be
    attached under any name.
    """
    if marts:
        connection.execute(f"create schema if not exists lake.{MARTS}")
        _define_elsewhere(connection)
    for mart in sorted(marts):
        name = quoted_name(mart)
        shards = _shards(connection, mart)
        queries = [
            f"select * from {quoted_name(schema)}.{name}"  # noqa: S608 (names from the catalog)
            + (_own_rows(quoted_name(schema), columns) if len(shards) > 1 else "")
            for schema, columns in shards
        ]
        connection.execute(f"drop view if exists lake.{MARTS}.{name}")
        if queries:
            union = " union all by name ".join(queries)
            connection.execute(f"create view lake.{MARTS}.{name} as {union}")


def are_outdated(connection: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the views are of a version that chose other rows."""
    [(there,)] = connection.execute(IS_THERE, {"view": ELSEWHERE}).fetchall()
    return not there and len(_shards(connection, "organizations")) > 1


def _shards(
    connection: duckdb.DuckDBPyConnection, mart: str
) -> Sequence[tuple[str, Sequence[str]]]:
    return connection.execute(SHARDS, {"mart": mart, "marts": MARTS}).fetchall()


def _define_elsewhere(connection: duckdb.DuckDBPyConnection) -> None:
    """Define the view of what another shard published later."""
    schemas = [quoted_name(schema) for schema, _ in _shards(connection, "organizations")]
    connection.execute("create schema if not exists lake.shards")
    connection.execute("drop view if exists lake.shards.elsewhere")  # as 2.0.0 named it
    connection.execute(f"drop view if exists lake.{ELSEWHERE}")
    ids = [
        f"select '{schema[1:-1]}' as shard, organization_id as id, as_of, published_at"  # noqa: S608
        f" from {schema}.organizations cross join {schema}.publication"
        for schema in schemas
    ]
    if ids:
        union = " union all ".join(ids)
        connection.execute(
            f"create view lake.{ELSEWHERE} as select shard, id from ({union}) qualify {LATER}"  # noqa: S608
        )


def _own_rows(schema: str, columns: Collection[str]) -> str:
    """Return the condition for a shard's rows that no other shard published later."""
    elsewhere = f"select id from {ELSEWHERE} where shard = '{schema[1:-1]}'"  # noqa: S608
    if "organization_id" in columns:
        return f" where (organization_id in ({elsewhere})) is not true"
    column = next((name for name in (*OWNERS, *OF_ANYTHING) if name in columns), None)
    if column is None:
        return ""
    owners = {column: OWNERS[column]} if column in OWNERS else OWNERS
    ids = " union all ".join(
        f"select {name} from {schema}.{owner} where organization_id in ({elsewhere})"  # noqa: S608
        for name, owner in owners.items()
    )
    return f" where ({column} in ({ids})) is not true"
