"""Unique keys of this version's tables that the database lacks, and rows that violate them.

Without its key a table may have duplicates, and every build fails.
`tests/dbt_project/test_claims.py` checks that PostgreSQL enforces each key of a data test.
"""

from typing import NamedTuple

from sqlalchemy import Column, Connection, Inspector, Table, UniqueConstraint, func, inspect, select

from warehouse.operational.base import Base
from warehouse.operational.store import OperationalStore


class BrokenKey(NamedTuple):
    """Columns that should be unique; `times` counts duplicated values."""

    table: str
    columns: tuple[str, ...]
    times: int


def broken_keys(store: OperationalStore) -> list[BrokenKey]:
    """Return the violated keys. Reads rows only if PostgreSQL does not enforce a key."""
    with store.engine.connect() as connection:
        catalog = inspect(connection)
        there = set(catalog.get_table_names())
        lacking = [
            (table, columns)
            for table in Base.metadata.sorted_tables
            if table.name in there
            for columns in _unenforced_keys(table, catalog)
        ]
        keys = [
            BrokenKey(table.name, key, _times(connection, table, key)) for table, key in lacking
        ]
    return [key for key in keys if key.times]


def _unenforced_keys(table: Table, catalog: Inspector) -> set[tuple[str, ...]]:
    enforced = {
        tuple(name or "" for name in index["column_names"])
        for index in catalog.get_indexes(table.name)
        if index["unique"]
    }
    names = {column["name"] for column in catalog.get_columns(table.name)}
    return {key for key in _keys(table) - enforced if names.issuperset(key)}


def _keys(table: Table) -> set[tuple[str, ...]]:
    """Return the unique constraints of a table, without partial ones."""
    return {
        tuple(column.name for column in constraint.columns)
        for constraint in table.constraints
        if isinstance(constraint, UniqueConstraint)
    }


def _times(connection: Connection, table: Table, key: tuple[str, ...]) -> int:
    columns: list[Column[object]] = [table.c[name] for name in key]
    several = (
        select(*columns)
        .where(*(column.is_not(None) for column in columns))
        .group_by(*columns)
        .having(func.count() > 1)
    )
    return connection.scalar(select(func.count()).select_from(several.subquery())) or 0
