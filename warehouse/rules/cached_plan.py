"""Frequent queries of the macros over given values, without tables, planned once."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import duckdb
from duckdb import DuckDBPyConnection

from warehouse.publication.sql import quoted_text
from warehouse.rules import create_rules


class CachedPlan:
    """A query of one text `$given` with a cached plan; threads may share it.

    Planning takes many times as long as running it, and DuckDB (1.5) plans every parametrized
    query again, except prepared statements, which accept only literals and belong to one
    connection. So there are as many connections as concurrent queries.
    """

    def __init__(self, query: str) -> None:
        self.query = query
        self._idle: list[DuckDBPyConnection] = []

    def ask(self, given: str) -> list[tuple[Any, ...]]:
        """Return the rows of the query. Times are UTC."""
        with self._cursor() as cursor:
            return cursor.execute(f"execute kept(given := {quoted_text(given)})").fetchall()

    @contextmanager
    def _cursor(self) -> Iterator[DuckDBPyConnection]:
        try:
            cursor = self._idle.pop()
        except IndexError:
            cursor = _rules_alone().cursor()
            cursor.execute(f"prepare kept as {self.query}")
        try:
            yield cursor
        finally:
            self._idle.append(cursor)


@cache
def _rules_alone() -> DuckDBPyConnection:
    """Return an in-memory database with the macros and no tables."""
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("set global TimeZone = 'UTC'")
    create_rules(connection)
    return connection
