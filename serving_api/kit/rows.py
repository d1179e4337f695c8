"""Rows that have to exist, and answers read from rows.

Fields of an answer are named like columns, except those of COLUMNS.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from serving_api.errors import NotFound

Answer = TypeVar("Answer", bound=BaseModel)
Row = TypeVar("Row")

COLUMNS: Mapping[str, str] = {"org_id": "organization_id", "metadata": "details"}
"""Columns of fields with another name."""


def require_row(row: Row | None, noun: str) -> Row:
    """Return the row. Raises NotFound for None."""
    if row is None:
        raise NotFound.named(noun)
    return row


def from_row(answer: type[Answer], row: object, **fields: object) -> Answer:
    """Return an answer with these `fields`, and its others from the row."""
    return answer(**columns_of(answer, row, **fields))


def columns_of(answer: type[BaseModel], row: object, **fields: object) -> dict[str, Any]:
    """Return what `from_row` builds an answer of."""
    names = [name for name in answer.model_fields if name not in fields]
    return {name: getattr(row, COLUMNS.get(name, name)) for name in names} | fields
