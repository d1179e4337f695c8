"""What each statement of a build handled, from DuckDB's own profiles: rows, never seconds.

Rows that operators put out depend on the facts alone, so that a small world tells how a large one
will do, whatever machine it runs on.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from dbt.adapters.duckdb.environments.local import DuckDBCursorWrapper
from dbt_common.events.contextvars import get_node_info

ALL_WITH_ALL = "BLOCKWISE_NL_JOIN"
"""A join whose condition DuckDB takes apart nowhere: it looks at every pair of rows."""
OF_PAIRS = {ALL_WITH_ALL, "NESTED_LOOP_JOIN", "CROSS_PRODUCT"}
"""Joins that look at every pair of rows, also at those that they do not put out."""

Profile = Mapping[str, Any]
Handled = dict[tuple[str, str], int]
"""By model or data test and operator: the most rows that one statement had it handle."""


@contextmanager
def profiled(handled: Handled, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Note in `handled` what the statements handle that nodes of a build send within the block."""
    execute = DuckDBCursorWrapper.execute

    def noted(cursor: Any, sql: str, bindings: Any = None) -> Any:
        node = get_node_info().get("node_name")
        if node is None:
            return execute(cursor, sql, bindings)
        execute(cursor, "pragma enable_profiling='no_output'")
        result = execute(cursor, sql, bindings)
        note(handled, node, json.loads(cursor.get_profiling_information("json")))
        return result

    with monkeypatch.context() as patched:
        patched.setattr(DuckDBCursorWrapper, "execute", noted)
        yield


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
