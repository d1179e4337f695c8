"""A warehouse whose marts tests write themselves, and the settings of its data folder."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import duckdb
import pytest

from tests.factories.marts import FEW, TABLES, create_marts
from warehouse.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


@pytest.fixture
def warehouse(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    yield from created(tmp_path, TABLES, threads=2)


@pytest.fixture
def few_marts(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A warehouse that is published in a third of the time."""
    yield from created(tmp_path, FEW, threads=1)


def created(
    folder: Path, tables: Iterable[str], threads: int
) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(folder / "warehouse.duckdb", config={"threads": threads}) as connection:
        create_marts(connection, tables)
        yield connection
