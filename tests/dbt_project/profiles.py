"""Rows that each statement of a build processed, from DuckDB's profiles, never seconds.

Output rows of operators depend on the facts alone, so a small world predicts a large one on any
machine.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import duckdb

ALL_WITH_ALL = "BLOCKWISE_NL_JOIN"
"""A join whose condition DuckDB cannot split: it checks every pair of rows."""
OF_PAIRS = {ALL_WITH_ALL, "NESTED_LOOP_JOIN", "CROSS_PRODUCT"}
"""Joins that check every pair of rows, even those they do not return."""

Profile = Mapping[str, Any]
Handled = dict[tuple[str, str], int]
"""Most rows that one statement processed, by (model or data test, operator)."""


class Profiled:
    """Records the rows of statements in `handled`, for the node that ends next."""

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
    """Record the rows of each operator of one statement."""
    for operator in operators(profile):
        key = node, name_of(operator)
        handled[key] = max(handled.get(key, 0), rows_of(operator))


def operators(profile: Profile) -> Iterator[Profile]:
    """Yield every operator of a statement; some, such as `create view`, have none."""
    for child in profile.get("children", ()):
        yield child
        yield from operators(child)


def name_of(operator: Profile) -> str:
    """Return the operator's type with its condition or table, independent of the world's size."""
    about = operator["extra_info"]
    what = about.get("Conditions") or about.get("Table") or ""
    return f"{operator['operator_type']} {what}".strip()


def rows_of(operator: Profile) -> int:
    """Return an operator's output rows, or the pairs of rows that it checked."""
    rows = int(operator["operator_cardinality"])
    if operator["operator_type"] in OF_PAIRS:
        left, right = (int(child["operator_cardinality"]) for child in operator["children"][:2])
        return max(rows, left * right)
    return rows
