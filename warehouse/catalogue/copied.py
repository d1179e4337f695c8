"""Declares the copy of a PostgreSQL table by its SQLAlchemy model.

Types, nulls and the key come from the model. The declaration adds which columns are copied, and
their meaning for readers of the copy.
"""

from typing import Any

from sqlalchemy import types
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.schema import Column as ModelColumn
from sqlalchemy.schema import Table as ModelTable
from sqlalchemy.types import TypeEngine

from warehouse.catalogue.table import Change, Column, Table, Type, never_null
from warehouse.operational.base import SECRET, Base, Followed

COPIED_IN = never_null("copied_in", "bigint", "the copy that last wrote the row")
"""A column of numbered copies only. Deleted rows cannot name a copy, so after a copy with deletions
the next build computes everything. Use it for tables from which the service deletes nothing."""

SIMPLE: tuple[tuple[type[TypeEngine[Any]], Type], ...] = (
    (types.Uuid, "uuid"),
    (types.String, "varchar"),
    (types.Boolean, "boolean"),
    (types.BigInteger, "bigint"),
    (types.Integer, "integer"),
    (types.DateTime, "timestamptz"),
    (types.Date, "date"),
    (JSONB, "json"),
)
"""DuckDB's type for each PostgreSQL type, subtypes before their base types."""


def copy_of(
    model: type[Base],
    means: str,
    columns: str,
    *,
    is_numbered: bool = False,
    **meanings: str,
) -> Table:
    """Return the copy of a model's table with the named columns, in that order.

    `meanings` describes columns by name. A numbered copy's rows name the copy that wrote them.
    Raises ValueError for a secret column, KeyError for one that the model lacks.
    """
    names = columns.split()
    if unknown := meanings.keys() - set(names):
        raise KeyError(f"{model.__tablename__} copies no {', '.join(sorted(unknown))}")
    decided = model.metadata.tables[model.__tablename__]
    copied = (_copied(decided.columns[name], meanings.get(name, "")) for name in names)
    return Table(
        schema="operational",
        name=model.__tablename__,
        means=means,
        key=tuple(column.name for column in decided.primary_key),
        change=Change.FOLLOWED if issubclass(model, Followed) else Change.COPIED_WHOLE,
        columns=(*copied, COPIED_IN) if is_numbered else tuple(copied),
        owner=_owner(decided) if issubclass(model, Followed) else None,
    )


def _owner(decided: ModelTable) -> str:
    return "organization_id" if "organization_id" in decided.columns else "id"


def _copied(column: ModelColumn[Any], means: str) -> Column:
    if column.info.items() >= SECRET.items():
        raise ValueError(f"{column} is secret: it is not copied")
    return Column(column.name, _type(column.type), means, nullable=bool(column.nullable))


def _type(kind: TypeEngine[Any]) -> Type:
    """Return the DuckDB type that holds every value of a PostgreSQL type. Raises TypeError."""
    if isinstance(kind, ARRAY):
        return "integer[]" if isinstance(kind.item_type, types.Integer) else "varchar[]"
    if isinstance(kind, types.Numeric) and (kind.precision, kind.scale) == (38, 9):
        return "decimal(38, 9)"
    for theirs, ours in SIMPLE:
        if isinstance(kind, theirs):
            return ours
    raise TypeError(f"no DuckDB type for {kind!r}: add it to SIMPLE")
