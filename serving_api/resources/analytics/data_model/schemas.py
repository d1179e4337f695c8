"""The answer of `/schema`."""

from typing import Literal

from pydantic import BaseModel, Field


class EntityField(BaseModel):
    """A field of an entity, by its name in answers. `values` are all it can have, where few."""

    name: str
    type: str = Field(description="uuid, string, integer, date, array of uuid, ...")
    nullable: bool
    values: list[str] | None
    description: str | None


class Relationship(BaseModel):
    """A field that holds the id of another entity (a member's is its user_id)."""

    field: str
    entity: str
    kind: Literal["many_to_one"] = "many_to_one"
    required: bool


class Entity(BaseModel):
    """A kind of thing."""

    name: str
    description: str
    fields: list[EntityField]
    relationships: list[Relationship]


class DataModel(BaseModel):
    """All kinds of things."""

    entities: list[Entity]
