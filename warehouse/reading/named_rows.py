"""Rows of a query by the names of its columns, whatever their order."""

from typing import Any

from duckdb import DuckDBPyConnection


def named_rows(cursor: DuckDBPyConnection) -> list[dict[str, Any]]:
    """Return the rows that a query answered."""
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
