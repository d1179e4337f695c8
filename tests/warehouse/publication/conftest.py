"""A warehouse whose marts tests write, and the settings of its data folder."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.factories.marts import FEW, TABLES, History, create_marts, fill_marts
from warehouse.publication.current import CurrentPublication
from warehouse.publication.publish import Publication, publish
from warehouse.settings import Settings

JULY = datetime(2026, 7, 20, tzinfo=UTC)
every_mart = pytest.mark.parametrize("tables", [TABLES], ids=["every mart"])
"""For tests that query more marts than `FEW`, which publish in a third of the time."""


@dataclass(frozen=True)
class Marts:
    """A warehouse and its publications."""

    settings: Settings
    warehouse: duckdb.DuckDBPyConnection

    def fill(self, history: History) -> None:
        fill_marts(self.warehouse, history)

    def publish(self, as_of: datetime = JULY, **named: Any) -> Publication:
        return publish(self.settings, self.warehouse, as_of=as_of, **named)

    def cursor(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """Yield a cursor on the current publication."""
        return CurrentPublication(self.settings.publications_path).cursor()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


@pytest.fixture
def tables() -> Sequence[str]:
    return FEW


@pytest.fixture
def warehouse(tmp_path: Path, tables: Sequence[str]) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(tmp_path / "warehouse.duckdb", config={"threads": 1}) as connection:
        create_marts(connection, tables)
        yield connection


@pytest.fixture
def marts(settings: Settings, warehouse: duckdb.DuckDBPyConnection) -> Marts:
    return Marts(settings, warehouse)
