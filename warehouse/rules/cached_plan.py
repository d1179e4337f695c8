"""Questions to the rules alone, of what is given and no table, asked often: planned once."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import duckdb
from duckdb import DuckDBPyConnection

from warehouse.rules import create_rules


class CachedPlan:
    """A query of one text `$given`, whose plan is kept; safe to share by all threads.

    To plan it takes many times as long as to run it, and DuckDB plans anew whatever comes with
    parameters, prepared statements apart: those take none but literals, and are of one connection.
    So there are as many connections as ask at the same time.
    """

    def __init__(self, query: str) -> None:
        self.query = query
        self._idle: list[DuckDBPyConnection] = []

    def ask(self, given: str) -> list[tuple[Any, ...]]:
        """Return the rows of the query. Times are UTC."""
        with self._cursor() as cursor:
            return cursor.execute(f"execute kept(given := {_literal(given)})").fetchall()

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


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@cache
def _rules_alone() -> DuckDBPyConnection:
    """Return a database in memory that knows the rules and no table."""
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("set global TimeZone = 'UTC'")
    create_rules(connection)
    return connection
