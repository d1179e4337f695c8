"""Accruals as they stand by decisions newer than the publication, in the place of published ones.

They come as two small Arrow tables into the reader's cursor, so that filters, pages and totals of
one query see one state.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import date, datetime
from decimal import Decimal
from typing import Any, get_args, get_type_hints
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.accruals.accrual import Accrual

COLUMNS = tuple(field.name for field in fields(Accrual))


def _kind_of(hint: Any) -> type:
    """Return the one type of a field that may also be None; of words of a closed set, str."""
    [kind] = {type(one) if isinstance(one, str) else one for one in get_args(hint) or (hint,)} - {
        type(None)
    }
    return kind


KINDS = {name: _kind_of(hint) for name, hint in get_type_hints(Accrual).items()}
"""The type of each column's values."""


def _from_arrow(column: str) -> str:
    """Return SQL of a column: ids come as text, as DuckDB cannot filter Arrow's by a join."""
    return f"cast({column} as uuid) as {column}" if KINDS[column] is UUID else column


PUBLISHED = f"""
    select {", ".join(COLUMNS)}
    from marts.payout_accruals
    where organization_id = $organization_id
"""  # noqa: S608  column names of ours
CURRENT = f"""
    {PUBLISHED}
        and coalesce(adjusts_accrual_id, accrual_id)
        not in (select cast(subject as uuid) from newer_subjects)
    union all by name
    select {", ".join(map(_from_arrow, COLUMNS))}
    from newer_accruals
"""  # noqa: S608  as above


@dataclass(frozen=True, slots=True)
class Newer:
    """The subjects that something was decided about since, and all accruals of theirs."""

    subjects: Sequence[UUID] = ()
    accruals: Sequence[Accrual] = ()


@contextmanager
def current_accruals(cursor: DuckDBPyConnection, newer: Newer) -> Iterator[str]:
    """Yield SQL of an organization's accruals as they stand now ($organization_id)."""
    if not newer.subjects:
        yield PUBLISHED
        return
    tables = _arrow_tables(newer)
    for name, table in tables.items():
        cursor.register(name, table)
    try:
        yield CURRENT
    finally:
        for name in tables:
            cursor.unregister(name)


def _arrow_tables(newer: Newer) -> dict[str, Any]:
    # Most requests find nothing newer: they do without what takes long to load.
    import pyarrow as pa  # noqa: PLC0415

    types = {
        UUID: pa.string(),
        str: pa.string(),
        int: pa.int64(),
        date: pa.date32(),
        datetime: pa.timestamp("us", tz="UTC"),
        Decimal: pa.decimal128(38, 9),
    }
    columns = {}
    for name, kind in KINDS.items():
        values = [getattr(accrual, name) for accrual in newer.accruals]
        if kind is UUID:
            values = [value and str(value) for value in values]
        columns[name] = pa.array(values, types[kind])
    subjects = pa.array([str(subject) for subject in newer.subjects], pa.string())
    return {
        "newer_accruals": pa.table(columns),
        "newer_subjects": pa.table({"subject": subjects}),
    }
