"""SQL of tags, and the filters `tags` and `tags_match` of lists (contract, Tags).

Every statement names the organization.
"""

from collections.abc import Collection, Sequence
from typing import Annotated, Literal, TypeVar
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field
from sqlalchemy import ColumnElement, Select, false, func, inspect, or_, select
from sqlalchemy.orm import Session

from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import rows_of
from serving_api.kit.schemas import Text
from serving_api.resources.programs.tags.items import ITEMS
from serving_api.resources.programs.tags.names import Named, key_of, read_named
from serving_api.resources.programs.tags.schemas import MAX_NAMED, EntityType, TagQuery
from warehouse.operational.inserting import Row
from warehouse.operational.models import Tag, TagItem
from warehouse.operational.session import WriteSession


def hold(session: WriteSession, organization_id: UUID, entity_type: str) -> None:
    """Take the advisory lock of this type's tags until the transaction ends."""
    lock_name = f"tags/{organization_id}/{entity_type}"
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(lock_name, 0))))


def vocabulary(organization_id: UUID, entity_type: str) -> Select[Tag]:
    return rows_of(Tag, organization_id).where(Tag.entity_type == entity_type)


def listed(
    session: Session, organization_id: UUID, entity_type: str, query: TagQuery
) -> Sequence[Tag]:
    statement = vocabulary(organization_id, entity_type)
    if query.q is not None:
        part = key_of(query.q)
        statement = statement.where(Tag.name_key.contains(part, autoescape=True))
    return session.scalars(statement.order_by(Tag.name_key.collate("C"))).all()


def find(session: Session, organization_id: UUID, tag_id: UUID) -> Tag | None:
    """Return the tag, reloaded, or None if absent or another organization's."""
    return session.scalar(
        rows_of(Tag, organization_id)
        .where(Tag.id == tag_id)
        .execution_options(populate_existing=True)
    )


def find_named(
    session: Session, organization_id: UUID, entity_type: str, references: Named
) -> Sequence[Tag]:
    is_named = or_(Tag.name_key.in_(list(references.names)), Tag.id.in_(references.ids))
    return session.scalars(vocabulary(organization_id, entity_type).where(is_named)).all()


def carrying(organization_id: UUID, tags: Collection[Tag]) -> Select[UUID]:
    """Select the ids of items with any of the tags, once for each tag."""
    return select(TagItem.item_id).where(
        TagItem.organization_id == organization_id, TagItem.tag_id.in_([tag.id for tag in tags])
    )


def on_items(session: Session, organization_id: UUID, item_ids: Collection[UUID]) -> Sequence[Row]:
    return _tag_items(session, organization_id, TagItem.item_id.in_(item_ids))


def of_tags(context: RequestContext, tag_ids: Collection[UUID]) -> Sequence[Row]:
    """Return the rows of TagItem with any of the tags, including those of removed items."""
    return _tag_items(context.session, context.organization_id, TagItem.tag_id.in_(tag_ids))


def _tag_items(
    session: Session, organization_id: UUID, condition: ColumnElement[bool]
) -> Sequence[Row]:
    rows = select(*inspect(TagItem).columns).where(
        TagItem.organization_id == organization_id, condition
    )
    return [row._asdict() for row in session.execute(rows)]


AnyRow = TypeVar("AnyRow")


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
    statement: Select[AnyRow],
    entity_type: EntityType,
    organization_id: UUID,
    query: TagFilter,
) -> Select[AnyRow]:
    """Select the items with any or all of the query's tags.

    An unknown tag matches no item. The tags are looked up first, so that PostgreSQL knows how
    common each is and can choose between scanning the list and sorting the tagged items.
    """
    if query.tags is None:
        return statement
    named = read_named(_entries(query.tags))
    tags = find_named(session, organization_id, entity_type, named)
    is_tagged = ITEMS[entity_type].model.id.in_
    if query.tags_match == "any":
        return statement.where(is_tagged(carrying(organization_id, tags)))
    missing = named.without(tags)
    if missing.ids or missing.names:
        return statement.where(false())
    each = (carrying(organization_id, [tag]) for tag in tags)
    return statement.where(*map(is_tagged, each))
