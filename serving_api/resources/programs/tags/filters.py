"""Filters lists by tags: `tags` and `tags_match` (contract, Tags)."""

from typing import Annotated, Literal, TypeVar
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field
from sqlalchemy import Select, false
from sqlalchemy.orm import Session

from serving_api.kit.schemas import Text
from serving_api.resources.programs.tags import repository
from serving_api.resources.programs.tags.items import ITEMS
from serving_api.resources.programs.tags.names import read_named
from serving_api.resources.programs.tags.schemas import MAX_NAMED, EntityType

Row = TypeVar("Row")


def _entries(text: str) -> list[str]:
    return [entry for entry in text.split(",") if entry.strip()]


def _some_and_few(text: str) -> str:
    if not 0 < len(_entries(text)) <= MAX_NAMED:
        raise ValueError(f"must name 1 to {MAX_NAMED} tags, separated by commas")
    return text


class TagFilter(BaseModel):
    """Query parameters that filter a list by tags."""

    tags: Annotated[Text, AfterValidator(_some_and_few)] | None = Field(
        default=None, description="Names (any case) or ids of up to 20 tags, comma-separated"
    )
    tags_match: Literal["any", "all"] = Field(
        default="any", description="Whether an item must have any or all of the tags"
    )


def tagged(
    session: Session,
    statement: Select[Row],
    entity_type: EntityType,
    organization_id: UUID,
    query: TagFilter,
) -> Select[Row]:
    """Select the items with any or all of the query's tags.

    An unknown tag matches no item. The tags are looked up first, so that PostgreSQL knows how
    common each is and can choose between scanning the list and sorting the tagged items.
    """
    if query.tags is None:
        return statement
    named = read_named(_entries(query.tags))
    tags = repository.named(session, organization_id, entity_type, named)
    is_tagged = ITEMS[entity_type].model.id.in_
    if query.tags_match == "any":
        return statement.where(is_tagged(repository.carrying(organization_id, tags)))
    missing = named.without(tags)
    if missing.ids or missing.names:
        return statement.where(false())
    each = (repository.carrying(organization_id, [tag]) for tag in tags)
    return statement.where(*map(is_tagged, each))
