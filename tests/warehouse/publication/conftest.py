"""A warehouse whose marts tests write themselves, and the settings of its data folder."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.factories.marts import create_marts
from warehouse.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


@pytest.fixture
def warehouse(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(tmp_path / "warehouse.duckdb") as connection:
        create_marts(connection)
        yield connection
