"""Tags of items as answers show them; every answer with `tags` uses this.

Ids are unique across all four types, so one lookup serves them all.
"""

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.kit.filters import among
from serving_api.resources.programs.tags.schemas import TagLabel
from warehouse.operational.models import Tag, TagItem

Labels = Mapping[UUID, list[TagLabel]]
"""Tags by requested item, sorted by name case-insensitively."""


def labels_of(session: Session, organization_id: UUID, item_ids: Collection[UUID]) -> Labels:
    """Return the tags of many items by one query, or by none without items."""
    labels: dict[UUID, list[TagLabel]] = {item_id: [] for item_id in item_ids}
    if not labels:
        return labels
    carried = (
        select(TagItem.item_id, Tag.id, Tag.name, Tag.color)
        .join(Tag, Tag.id == TagItem.tag_id)
        .where(TagItem.organization_id == organization_id, among(TagItem.item_id, labels))
        .order_by(Tag.name_key.collate("C"))
    )
    for row in session.execute(carried):
        labels[row.item_id].append(TagLabel.model_validate(row, from_attributes=True))
    return labels


def label(tag: Tag) -> TagLabel:
    return TagLabel.model_validate(tag, from_attributes=True)
