"""A connection with only the rules."""

from collections.abc import Iterator

import duckdb
import pytest

from warehouse.rules import create_rules


@pytest.fixture(scope="module")
def rules() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("set TimeZone = 'UTC'")
        create_rules(connection)
        yield connection
