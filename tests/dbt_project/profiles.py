"""What each statement of a build handled, from DuckDB's own profiles: rows, never seconds.

Rows that operators put out depend on the facts alone, so that a small world tells how a large one
will do, whatever machine it runs on.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import duckdb

ALL_WITH_ALL = "BLOCKWISE_NL_JOIN"
"""A join whose condition DuckDB takes apart nowhere: it looks at every pair of rows."""
OF_PAIRS = {ALL_WITH_ALL, "NESTED_LOOP_JOIN", "CROSS_PRODUCT"}
"""Joins that look at every pair of rows, also at those that they do not put out."""

Profile = Mapping[str, Any]
Handled = dict[tuple[str, str], int]
"""By model or data test and operator: the most rows that one statement had it handle."""


class Profiled:
    """A connection that notes in `handled` what statements handle, for the node that ends next."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, handled: Handled) -> None:
        self._connection, self._handled = connection, handled
        self._profiles: list[Profile] = []
        connection.execute("pragma enable_profiling='no_output'")

    def execute(self, *statement: Any) -> duckdb.DuckDBPyConnection:
        result = self._connection.execute(*statement)
        self._profiles.append(json.loads(self._connection.get_profiling_information("json")))
        return result

    def end_node(self, name: str, _ended: int, _nodes: int) -> None:
        for profile in self._profiles:
            note(self._handled, name, profile)
        self._profiles.clear()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def note(handled: Handled, node: str, profile: Profile) -> None:
    """Note what the operators of one statement handled."""
    for operator in operators(profile):
        key = node, name_of(operator)
        handled[key] = max(handled.get(key, 0), rows_of(operator))


def operators(profile: Profile) -> Iterator[Profile]:
    """Yield every operator of a statement; some statements, as that of a view, have none."""
    for child in profile.get("children", ()):
        yield child
        yield from operators(child)


def name_of(operator: Profile) -> str:
    """Return what an operator is and about what: the same in worlds of any size."""
    about = operator["extra_info"]
    what = about.get("Conditions") or about.get("Table") or ""
    return f"{operator['operator_type']} {what}".strip()


def rows_of(operator: Profile) -> int:
    """Return the rows that an operator put out, or the pairs of rows that it looked at."""
    rows = int(operator["operator_cardinality"])
    if operator["operator_type"] in OF_PAIRS:
        left, right = (int(child["operator_cardinality"]) for child in operator["children"][:2])
        return max(rows, left * right)
    return rows
