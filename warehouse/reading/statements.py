"""Queries in `.sql` files beside their modules, and rows by column name or by ids."""

import re
from collections.abc import Callable, Collection, Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

if TYPE_CHECKING:  # commands read queries without loading DuckDB
    from duckdb import DuckDBPyConnection

_OWN_TABLES = re.compile(r"(?:\s|--.*\n)*with\b")
"""A query's start with its own CTEs, after comments."""


def statement(module: str, name: str) -> str:
    """Return the query in the file `name` of a module's folder."""
    package = module.rpartition(".")[0]
    return files(package).joinpath(name).read_text(encoding="utf-8")


def over(query: str, **tables: str) -> str:
    """Return a query with other queries as CTEs, each of which may use those before it."""
    named = ",\n".join(f"{name} as not materialized (\n{table})" for name, table in tables.items())
    if own := _OWN_TABLES.match(query):
        return f"with {named},\n{query[own.end() :]}"
    return f"with {named}\n({query})"


def named_rows(cursor: "DuckDBPyConnection") -> list[dict[str, Any]]:
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


Row = TypeVar("Row")


def read_by_ids(
    cursor: "DuckDBPyConnection",
    query: str,
    record: Callable[..., Row],
    organization_id: UUID,
    ids: Collection[UUID],
    *,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> dict[UUID, Row]:
    """Return records by id: the first column is the id, the others are passed by name.

    The query takes `organization_id`, `more` parameters, and `ids` as comma-separated text, which
    DuckDB binds many times faster than a list.
    """
    if not ids:
        return {}
    parameters = {"organization_id": organization_id, "ids": ",".join(map(str, ids)), **more}
    rows = named_rows(cursor.execute(query, parameters))
    return {row.pop(next(iter(row))): record(**row) for row in rows}
