"""Forms of request bodies: a room adds labels, hints, choices and the order of fields.

The body's JSON schema has their types, lengths and which are required. Cents are in dollars,
numbers in percent. Names are paths in the body.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache, cached_property
from typing import Any, Literal, Self

from pydantic import BaseModel

from serving_api.desk.forms import day_in, end_of_day_in, number_in, text_of
from serving_api.desk.rules.words import cents_in, hundredth_of, percent_in, percent_of

Kind = Literal["text", "integer", "cents", "number", "fraction", "date", "date-time"]
Fields = Mapping[str, str]
Read = Callable[[Fields, str], object]

_READ: Mapping[Kind, Read] = {
    "text": lambda fields, name: text_of(fields.get(name, "")),
    "integer": number_in,
    "cents": cents_in,
    "number": lambda fields, name: _scaled(percent_in(fields, name), 0),
    "fraction": lambda fields, name: _scaled(percent_in(fields, name), -2),
    "date": day_in,
}
_WRITE: Mapping[Kind, Callable[[Any], str]] = {
    "integer": "{:,}".format,
    "cents": hundredth_of,
    "number": lambda value: f"{Decimal(str(value)):f}",
    "fraction": percent_of,
}
_TYPES = {"date": "date", "date-time": "date", "email": "email", "url": "url"}
"""Types of inputs, by kind or name."""


def _scaled(value: Decimal | None, places: int) -> float | None:
    return None if value is None else float(value.scaleb(places))


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a body in a form. `choices` are labels by value.

    `value` is the initial one. A checkbox stands for `on` or `off`. `read` parses a format of its
    own. `most` and `is_required` replace the schema's.
    """

    name: str
    label: str
    hint: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    value: str = ""
    on: object = True
    off: object = False
    read: Read | None = None
    most: int | None = None
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Input:
    """A field with its schema."""

    field: Field
    schema: Mapping[str, Any]
    is_required: bool

    @property
    def control(self) -> Literal["check", "checks", "choice", "text"]:
        json_type = self.schema.get("type")
        if json_type == "boolean" or self.field.on is not True:
            return "check"
        if self.field.choices:
            return "checks" if json_type == "array" else "choice"
        return "text"

    @property
    def kind(self) -> Kind:
        """How its text is parsed."""
        match self.schema:
            case {"type": "integer"}:
                return "cents" if self.field.name.endswith("_cents") else "integer"
            case {"type": "number"}:
                return "fraction" if self.schema.get("maximum") == 1 else "number"
            case {"format": "date" | "date-time" as kind}:
                return kind
        return "text"

    @property
    def type(self) -> str:
        return _TYPES.get(self.kind, _TYPES.get(self.field.name, "text"))

    @property
    def most(self) -> int:
        """The longest text."""
        is_text = self.schema.get("type") not in {"integer", "number"}
        return self.field.most or self.schema.get("maxLength") or (200 if is_text else 20)

    def read(self, fields: Fields, zone: str) -> object:
        """Return the body's value. Raises InvalidBody."""
        name = self.field.name
        if self.field.read:
            return self.field.read(fields, name)
        if self.control == "check":
            return self.field.on if name in fields else self.field.off
        if self.control == "checks":
            return [each for each in self.field.choices if f"{name}.{each}" in fields] or None
        if self.kind == "date-time":
            return end_of_day_in(fields, name, zone)
        value = _READ[self.kind](fields, name)
        return "" if value is None and self.is_required and self.kind == "text" else value

    def written(self, value: Any) -> str | None:
        """Return the form's value of a body's value; None leaves a checkbox empty."""
        if self.control == "check":
            return "yes" if value == self.field.on else None
        if isinstance(value, list):
            return ", ".join(map(str, value))
        return "" if value is None else _WRITE.get(self.kind, str)(value)


class BodyForm:
    """A form of some fields of a body, in their order."""

    def __init__(self, body: type[BaseModel], *fields: Field) -> None:
        self.body, self.fields = body, fields
        self.names = tuple(each.name for each in fields)
        self.labels = {each.name: each.label for each in fields}

    @cached_property
    def inputs(self) -> list[Input]:
        schema = _schema_of(self.body)
        return [_input_of(schema, each) for each in self.fields]

    @property
    def choices(self) -> dict[str, Mapping[str, str]]:
        """Labels of values by field; an empty checkbox is "no"."""
        return {
            each.field.name: {"": "no"} if each.control == "check" else each.field.choices
            for each in self.inputs
        }

    def offering(self, **choices: Mapping[str, str]) -> Self:
        """Return the form with the choices of some fields."""
        fields = (
            replace(each, choices=choices.get(each.name, each.choices)) for each in self.fields
        )
        return type(self)(self.body, *fields)

    def only(self, *names: str) -> Self:
        return type(self)(self.body, *(each for each in self.fields if each.name in names))

    def without(self, *names: str) -> Self:
        return self.only(*(name for name in self.names if name not in names))

    def read(self, fields: Fields, zone: str = "") -> dict[str, Any]:
        """Return the values of the body. Raises InvalidBody."""
        values: dict[str, Any] = {}
        for each in self.inputs:
            *outer, last = each.field.name.split(".")
            parent = values
            for name in outer:
                parent = parent.setdefault(name, {})
            parent[last] = each.read(fields, zone)
        return values

    def filled(self, entity: BaseModel) -> dict[str, str]:
        """Return the form's values of an entity."""
        values = entity.model_dump(include={name.partition(".")[0] for name in self.names})
        written = {
            each.field.name: each.written(_at(values, each.field.name)) for each in self.inputs
        }
        return {name: value for name, value in written.items() if value is not None}


@cache
def _schema_of(body: type[BaseModel]) -> Mapping[str, Any]:
    """Return the body's schema, which takes 2 ms to make."""
    return body.model_json_schema()


def _input_of(schema: Mapping[str, Any], form_field: Field) -> Input:
    *outer, last = form_field.name.split(".")
    parent = schema
    for name in outer:
        parent = schema["$defs"][parent["properties"][name]["$ref"].rpartition("/")[2]]
    own = parent["properties"][last]
    is_required = form_field.is_required or last in parent.get("required", ())
    return Input(form_field, {**own, **own.get("anyOf", [{}])[0]}, is_required)


def _at(values: Any, path: str) -> Any:
    for name in path.split("."):
        values = values.get(name)
    return values
