"""The data model, generated: fields from what is answered, relationships from what is stored."""

from collections.abc import Iterator, Mapping
from functools import cache
from inspect import cleandoc
from typing import Any

from sqlalchemy import Table, inspect

from serving_api.resources.analytics.data_model import schemas
from serving_api.resources.analytics.data_model.entities import ENTITIES, OF_TABLE, EntityModels

JsonSchema = Mapping[str, Any]


@cache
def data_model() -> schemas.DataModel:
    """Return all entities, with their fields and relationships."""
    return schemas.DataModel(entities=[_entity(name, known) for name, known in ENTITIES.items()])


def _entity(name: str, known: EntityModels) -> schemas.Entity:
    described = known.shown.model_json_schema(mode="serialization")
    definitions = described.get("$defs", {})
    fields = [_field(field, shape, definitions) for field, shape in described["properties"].items()]
    return schemas.Entity(
        name=name,
        description=" ".join(cleandoc(known.shown.__doc__ or "").split()),
        fields=fields,
        relationships=list(_relationships(known, {field.name for field in fields})),
    )


def _field(name: str, shape: JsonSchema, definitions: JsonSchema) -> schemas.EntityField:
    choices = [_resolved(one, definitions) for one in shape.get("anyOf", [shape])]
    kinds = [one for one in choices if one.get("type") != "null"]
    return schemas.EntityField(
        name=name,
        type=" or ".join(dict.fromkeys(_type_of(one, definitions) for one in kinds)) or "null",
        nullable=len(kinds) < len(choices),
        values=next((list(one["enum"]) for one in kinds if "enum" in one), None),
        description=shape.get("description"),
    )


def _resolved(shape: JsonSchema, definitions: JsonSchema) -> JsonSchema:
    reference = shape.get("$ref")
    resolved: JsonSchema = definitions[reference.rpartition("/")[2]] if reference else shape
    return resolved


def _type_of(shape: JsonSchema, definitions: JsonSchema) -> str:
    kind = str(shape.get("format") or shape.get("type") or "any").replace("date-time", "datetime")
    if kind != "array":
        return kind
    return f"array of {_type_of(_resolved(shape.get('items', {}), definitions), definitions)}"


def _relationships(known: EntityModels, shown: set[str]) -> Iterator[schemas.Relationship]:
    """Yield the stored references that answers show."""
    table = inspect(known.stored).local_table
    assert isinstance(table, Table)  # noqa: S101 - every model has one
    for key in sorted(table.foreign_keys, key=lambda one: one.parent.name):
        column = key.parent
        field = known.names.get(column.name, column.name)
        entity = OF_TABLE.get(key.column.table.name)
        if entity and not column.primary_key and field.partition(".")[0] in shown:
            yield schemas.Relationship(field=field, entity=entity, required=not column.nullable)
