"""Rows that have to exist, answers read from rows, and versions of money-related rows.

Fields of an answer are named like columns, except those of COLUMNS. A change of a versioned row
names the version it is based on.
"""

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel, JsonValue
from sqlalchemy import Select, SQLColumnExpression, func, select
from sqlalchemy.orm import Session

from serving_api.errors import NotFound, VersionConflict
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.schemas import COLUMNS

Answer = TypeVar("Answer", bound=BaseModel)
Row = TypeVar("Row")


def rows_of(model: type[Row], organization_id: UUID, *row_id: UUID) -> Select[Row]:
    """Select the rows of an organization, active or not, or the one with an id; None has no row."""
    columns: Any = model
    own = columns.organization_id == organization_id
    return select(model).where(own, *(columns.id == each for each in row_id))


def matching(model: type[Row], organization_id: UUID, query: BaseModel, *names: str) -> Select[Row]:
    """Select the rows of an organization that have the query's values, of those that it has."""
    statement = rows_of(model, organization_id)
    for name in names:
        if (value := getattr(query, name)) is not None:
            statement = statement.where(getattr(model, name) == value)
    return statement


def count_rows(session: Session, statement: Select[Any]) -> int:
    return session.scalars(statement.with_only_columns(func.count())).one()


def require_row(row: Row | None, noun: str) -> Row:
    """Return the row. Raises NotFound for None."""
    if row is None:
        raise NotFound.named(noun)
    return row


def require_own(context: RequestContext, model: type[Row], row_id: UUID, noun: str) -> Row:
    """Return a row of the caller's organization. Raises NotFound."""
    statement = rows_of(model, context.organization_id, row_id)
    return require_row(context.session.scalar(statement), noun)


def lock_own(
    context: WriteContext,
    model: type[Row],
    row_id: UUID,
    noun: str,
    *conditions: SQLColumnExpression[bool],
    key_share: bool = True,
) -> Row:
    """Return a row of the caller's organization, locked for update and as it is then.

    Raises NotFound, also where the conditions do not hold. `key_share` lets others refer to it
    meanwhile.
    """
    own = rows_of(model, context.organization_id, row_id).where(*conditions)
    locked = own.with_for_update(key_share=key_share).execution_options(populate_existing=True)
    return require_row(context.session.scalar(locked), noun)


def from_row(answer: type[Answer], row: object, **fields: object) -> Answer:
    """Return an answer with these `fields`, and its others from the row."""
    return answer(**columns_of(answer, row, **fields))


def columns_of(answer: type[BaseModel], row: object, **fields: object) -> dict[str, Any]:
    """Return what `from_row` builds an answer of."""
    names = [name for name in answer.model_fields if name not in fields]
    return {name: getattr(row, COLUMNS.get(name, name)) for name in names} | fields


def values_of(answer: BaseModel, names: Sequence[str]) -> dict[str, JsonValue]:
    """Return the fields of a response that a PATCH may change."""
    return answer.model_dump(mode="json", include=set(names))


def version_of(values: dict[str, JsonValue]) -> str:
    """Return a hash of the values: equal values have equal versions."""
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def version_of_ids(ids: Iterable[UUID]) -> str:
    """Return a hash of ids in their order: what a form confirms that acts on all of a list."""
    return version_of({"ids": list(map(str, ids))})


def require_version(expected: str | None, values: dict[str, JsonValue]) -> None:
    """Raise VersionConflict unless `expected` is None or the current version."""
    current = version_of(values)
    if expected not in {None, current}:
        raise VersionConflict(str(expected), current, values)
