"""Columns of a list: its items' fields in order, with nested objects flattened.

An object becomes one column for each field, such as `share_link.url` (for several shapes the
smallest, so that no PIN is exported). A list of scalars becomes one comma-separated cell. A list
of objects becomes the columns in PARTS, each such a cell, where no value can contain a comma. A
free-form object becomes JSON.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel

from serving_api.resources.payouts.accruals.schemas import OddReading
from serving_api.resources.programs.tags.schemas import TagLabel
from serving_api.resources.tracking.accounts.schemas import Account
from warehouse.csv_cells import Cell, cell_text

PARTS: Mapping[type[BaseModel], Sequence[str]] = {
    Account: ("id", "platform", "handle"),
    OddReading: ("anomaly_id",),
    TagLabel: ("name",),
}
"""The fields of listed objects to export; the others are in their own lists."""

Getter = Callable[[Any], Cell]


@dataclass(frozen=True, slots=True)
class Column:
    """A column and the function that returns its cell."""

    name: str
    cell: Getter


def columns_of(schema: type[BaseModel]) -> tuple[Column, ...]:
    return tuple(
        column
        for name, field in schema.model_fields.items()
        for column in _flattened(name, field.annotation)
    )


def row_of(columns: Sequence[Column], item: BaseModel) -> list[Cell]:
    return [column.cell(item) for column in columns]


def _flattened(name: str, annotation: Any) -> Iterator[Column]:
    models = [choice for choice in _choices(annotation) if _is_model(choice)]
    if models:
        yield from _of_object(name, min(models, key=lambda model: len(model.model_fields)))
    elif get_origin(annotation) is list:
        yield from _of_list(name, get_args(annotation)[0])
    elif get_origin(annotation) is dict:
        yield Column(name, lambda item: _as_json(_value(item, name)))
    else:
        yield Column(name, lambda item: _value(item, name))


def _choices(annotation: Any) -> Sequence[Any]:
    """Return the types of a union except null, in order."""
    is_union = get_origin(annotation) in (Union, UnionType)
    return (
        [argument for argument in get_args(annotation) if argument is not NoneType]
        if is_union
        else [annotation]
    )


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _of_object(name: str, model: type[BaseModel]) -> Iterator[Column]:
    for column in columns_of(model):

        def cell(item: Any, column: Column = column) -> Cell:
            inner = _value(item, name)
            return None if inner is None else column.cell(inner)

        yield Column(f"{name}.{column.name}", cell)


def _of_list(name: str, element: Any) -> Iterator[Column]:
    if not _is_model(element):
        yield Column(name, lambda item: _joined(_value(item, name)))
        return
    parts = PARTS[element]
    for part in parts:

        def cell(item: Any, part: str = part) -> Cell:
            return _joined([_value(element_value, part) for element_value in _value(item, name)])

        yield Column(name if len(parts) == 1 else f"{name}.{part}", cell)


def _value(item: BaseModel, name: str) -> Any:
    """Return a field's value; attribute access to a deprecated one would warn."""
    return vars(item)[name]


def _joined(values: Sequence[Cell]) -> str:
    return ",".join(map(cell_text, values))


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
