"""Rows of a query as dictionaries by column name."""

from typing import Any

from duckdb import DuckDBPyConnection


def named_rows(cursor: DuckDBPyConnection) -> list[dict[str, Any]]:
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
