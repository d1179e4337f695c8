"""A DuckDB transaction as a block."""

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Commit at the end of the block, or roll back on an error."""
    connection.begin()
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    connection.commit()
