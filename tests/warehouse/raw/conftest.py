from collections.abc import Iterator

import duckdb
import pytest

from warehouse.connection import open_warehouse
from warehouse.settings import Settings


@pytest.fixture
def warehouse(settings: Settings) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_warehouse(settings) as connection:
        yield connection
