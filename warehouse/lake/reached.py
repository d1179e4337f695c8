"""How far the lake follows publications."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from duckdb import DuckDBPyConnection
from sqlalchemy import text

from warehouse.catalogue.models import MARTS
from warehouse.lake.opening import read_lake
from warehouse.lake.shard_tables import removed_shards, schema_of
from warehouse.lake.views import SHARDS
from warehouse.operational.store import OperationalStore
from warehouse.publication.sql import quoted_name
from warehouse.settings import Settings
from warehouse.shards.weighing import published_as_of

PUBLICATION = "publication"
"""The mart with one row about the publication."""
IS_THERE = "select to_regnamespace('lake') is not null"


@dataclass(frozen=True)
class Reached:
    """as_of of each published shard, in the lake and in its publication.

    `removed` are schemas of removed shards, whose numbers count until the schemas are dropped.
    """

    lake: Mapping[str, datetime | None]
    published: Mapping[str, datetime]
    removed: Sequence[str]

    @property
    def behind(self) -> Sequence[str]:
        """The shards whose last publication is not in the lake."""
        return [
            shard
            for shard, as_of in self.published.items()
            if (there := self.lake[shard]) is None or there < as_of
        ]


def reached(settings: Settings, store: OperationalStore, path: str) -> Reached | None:
    """Return the state of the lake at `path`, or None if nothing was ever written to it.

    Changes nothing. Raises as `read_lake`, and duckdb.Error if rows cannot be read.
    """
    with store.read_session() as session:
        if not session.scalar(text(IS_THERE)):
            return None
        published = published_as_of(settings, session)
    with read_lake(settings, store, path) as connection:
        there = _as_of(connection)
        return Reached(
            lake={shard: there.get(schema_of(shard)) for shard in published},
            published=published,
            removed=[shard.schema for shard in removed_shards(store, connection)],
        )


def _as_of(connection: DuckDBPyConnection) -> Mapping[str, datetime]:
    schemas = connection.execute(SHARDS, {"mart": PUBLICATION, "marts": MARTS}).fetchall()
    tables = {schema: f"lake.{quoted_name(schema)}.{PUBLICATION}" for schema, _ in schemas}
    return {
        schema: as_of
        for schema, table in tables.items()
        for (as_of,) in connection.execute(f"select as_of from {table}").fetchall()  # noqa: S608 (of the catalog)
    }
