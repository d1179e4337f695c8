"""A publication brought to the lake, in a folder: what it takes each run."""

from pathlib import Path

import duckdb

from tests.qa.benchmarks.child import Watch
from tests.qa.benchmarks.models import Unequal
from tests.qa.benchmarks.world import settings_of
from warehouse.catalogue.models import MARTS
from warehouse.lake.opening import open_lake
from warehouse.lake.shard_tables import PUBLICATION, columns_of
from warehouse.lake.writing import bring
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.publication.layout import CURRENT
from warehouse.publication.sql import attached, quoted_name
from warehouse.settings import Settings


def bring_publication(watch: Watch, home: Path) -> None:
    """Bring the lake to the current publication. Raises Unequal where it lacks rows then."""
    settings = _settings(home)
    with operational_store(settings) as store:
        with watch.running():
            bring(settings, store)
        _require_rows(settings, store, rows_published(home))


def rows_published(home: Path) -> int:
    """Return how many rows the current publication's marts have."""
    path = settings_of(home).publications_path / CURRENT
    with duckdb.connect() as connection, attached(connection, path, PUBLICATION):
        return _rows(connection, PUBLICATION)


def _require_rows(settings: Settings, store: OperationalStore, expected: int) -> None:
    with open_lake(settings, store, str(settings.lake_path)) as connection:
        row_count = _rows(connection, "lake")
    if row_count != expected:
        raise Unequal(f"the lake has {row_count} rows, and the publication {expected}")


def _rows(connection: duckdb.DuckDBPyConnection, database: str) -> int:
    counts = " union all ".join(
        f"select count(*) from {database}.{MARTS}.{quoted_name(mart)}"
        for mart in columns_of(connection, database, MARTS)
    )
    [(rows,)] = connection.execute(
        f"select sum(count)::bigint from ({counts}) as counts (count)"
    ).fetchall()
    return int(rows)


def _settings(home: Path) -> Settings:
    return settings_of(home).model_copy(update={"lake_url": "."})
