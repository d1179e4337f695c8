"""A database per module: the lake's catalog is not one of our tables and is not truncated."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.factories.marts import create_marts
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.warehouse.lake.world import TABLES, World
from tests.warehouse.test_extensions import EXTENSIONS, packaged
from warehouse.lake.catalog import forget
from warehouse.operational.store import OperationalStore, operational_store


@pytest.fixture(scope="module")
def lake_store(
    databases: FreshDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OperationalStore]:
    with (
        databases() as url,
        operational_store(settings_for(tmp_path_factory.mktemp("store"), url)) as store,
    ):
        yield store


@pytest.fixture(scope="module")
def analysts_duckdb() -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB with the packaged extensions, which analysts download."""
    config: dict[str, bool | int] = {"autoinstall_known_extensions": False, "threads": 1}
    with duckdb.connect(config=config) as connection:
        connection.execute("set TimeZone = 'UTC'")
        for name in EXTENSIONS:
            connection.execute(f"load '{packaged(name)}'")
        yield connection


@pytest.fixture
def world(
    lake_store: OperationalStore, analysts_duckdb: duckdb.DuckDBPyConnection, tmp_path: Path
) -> Iterator[World]:
    """An installation with an empty lake."""
    forget(lake_store)
    settings = settings_for(tmp_path / "home", lake_store.dsn)
    with duckdb.connect(tmp_path / "warehouse.duckdb", config={"threads": 1}) as warehouse:
        create_marts(warehouse, TABLES)
        settings = settings.model_copy(update={"lake_url": "."})
        yield World(settings, lake_store, warehouse, analysts_duckdb)
