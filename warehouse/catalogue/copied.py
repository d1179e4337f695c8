"""How the copy of one of PostgreSQL's tables is declared: by its model, which has said the rest.

Types, nulls and the key are those of the model. What is said here is what it can't know: which
columns are copied, and what they mean to whoever reads the copy.
"""

from typing import Any

from sqlalchemy import types
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.schema import Column as ModelColumn
from sqlalchemy.schema import Table as ModelTable
from sqlalchemy.types import TypeEngine

from warehouse.catalogue.table import Change, Column, OwnedBy, Table, Type, never_null
from warehouse.operational.base import SECRET, Base, Followed

COPIED_IN = never_null("copied_in", "bigint", "the copy that brought the row as it is")
"""A column of copies alone. Rows that go cannot name a copy, so a run after such a copy computes
everything: it is for tables that the service deletes nothing of."""

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
"""DuckDB's type for each of PostgreSQL's, special ones before what they are kinds of."""


def copy_of(
    model: type[Base],
    means: str,
    columns: str,
    *,
    project: str | None = "project_id",
    is_numbered: bool = False,
    **meanings: str,
) -> Table:
    """Return the copy of a model's table with the named columns, in that order.

    `meanings` is what columns mean, by name. `project` is SQL that says of which project a row is,
    None where rows are of a whole organization. Rows of a numbered copy say which copy brought
    them. Raises ValueError for a column that no log may hold, and so no copy, KeyError for one that
    is not the model's.
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
        change=Change.FOLLOWED if issubclass(model, Followed) else Change.MADE_ANEW,
        columns=(*copied, COPIED_IN) if is_numbered else tuple(copied),
        owned_by=_owned_by(decided, project) if issubclass(model, Followed) else None,
    )


def _owned_by(decided: ModelTable, project: str | None) -> OwnedBy:
    if project == "project_id" and project not in decided.columns:
        raise KeyError(f"{decided.name} has no project_id: say of which project its rows are")
    return OwnedBy("organization_id" if "organization_id" in decided.columns else "id", project)


def project_of(column: str, *parents: str) -> str:
    """Return SQL for the project of the row that a column, `table.column`, names in a parent."""
    parents_project = ", ".join(
        f"(select parent.project_id from {parent} as parent where parent.id = {column})"  # noqa: S608
        for parent in parents
    )
    return f"coalesce({parents_project})"


def _copied(column: ModelColumn[Any], means: str) -> Column:
    if column.info.items() >= SECRET.items():
        raise ValueError(f"{column} is secret: it is not copied")
    return Column(column.name, _type(column.type), means, nullable=bool(column.nullable))


def _type(kind: TypeEngine[Any]) -> Type:
    """Return DuckDB's type that holds every value of PostgreSQL's. Raises TypeError without one."""
    if isinstance(kind, ARRAY):
        return "integer[]" if isinstance(kind.item_type, types.Integer) else "varchar[]"
    if isinstance(kind, types.Numeric) and (kind.precision, kind.scale) == (38, 9):
        return "decimal(38, 9)"
    for theirs, ours in SIMPLE:
        if isinstance(kind, theirs):
            return ours
    raise TypeError(f"no type for {kind!r} yet: add it to SIMPLE")
