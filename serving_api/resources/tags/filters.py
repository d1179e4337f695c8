"""The filter of lists by tags: `tags` and `tags_match` (contract, Tags)."""

from typing import Annotated, Literal, TypeVar
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field
from sqlalchemy import ColumnElement, Select, and_, false, or_, select

from serving_api.kit.schemas import Text
from serving_api.resources.tags.items import ITEMS
from serving_api.resources.tags.names import Named, read_named
from serving_api.resources.tags.schemas import MAX_NAMED, EntityType
from warehouse.operational.models import Tag, TagItem

Row = TypeVar("Row")


def _entries(text: str) -> list[str]:
    return [entry for entry in text.split(",") if entry.strip()]


def _some_and_few(text: str) -> str:
    if not 0 < len(_entries(text)) <= MAX_NAMED:
        raise ValueError(f"must name 1 to {MAX_NAMED} tags, separated by commas")
    return text


class TagFilter(BaseModel):
    """The query parameters by which a list is filtered by tags."""

    tags: Annotated[Text, AfterValidator(_some_and_few)] | None = Field(
        default=None, description="Names, in any case, or ids of up to 20 tags, comma-separated"
    )
    tags_match: Literal["any", "all"] = Field(
        default="any", description="Whether one of the tags is enough, or an item needs all"
    )


def tagged(
    statement: Select[Row], entity_type: EntityType, organization_id: UUID, query: TagFilter
) -> Select[Row]:
    """Narrow a list of items down to those with any, or all, of the tags that the query names.

    What names no tag of this type matches nothing: no item has it.
    """
    if query.tags is None:
        return statement
    entries = _entries(query.tags)
    groups = [entries] if query.tags_match == "any" else [[entry] for entry in entries]
    item_id = ITEMS[entity_type].model.id
    vocabulary = and_(Tag.organization_id == organization_id, Tag.entity_type == entity_type)
    for group in groups:
        carrying = (
            select(TagItem.item_id)
            .join(Tag, Tag.id == TagItem.tag_id)
            .where(vocabulary, is_named(read_named(group)))
        )
        statement = statement.where(item_id.in_(carrying))
    return statement


def is_named(named: Named) -> ColumnElement[bool]:
    """Return the condition that a tag of a vocabulary is one of those named."""
    return or_(false(), Tag.name_key.in_(list(named.names)), Tag.id.in_(named.ids))
