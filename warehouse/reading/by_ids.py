"""Rows of a mart by ids."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.named_rows import named_rows

Row = TypeVar("Row")


def read_by_ids(
    cursor: DuckDBPyConnection,
    query: str,
    record: Callable[..., Row],
    organization_id: UUID,
    ids: Sequence[UUID],
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
