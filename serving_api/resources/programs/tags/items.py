"""Types of items with tags, their tags in answers, and the only writes of which items have which.

Ids are unique across all four types, so one lookup serves them all. An entry in ITEMS adds a
type.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import ColumnElement, bindparam, select, true, update
from sqlalchemy.orm import Session

from serving_api.kit.pagination import among
from serving_api.resources.programs.tags.schemas import TagLabel
from warehouse.operational.audit_many import delete_many, insert_many
from warehouse.operational.base import business_now
from warehouse.operational.inserting import Row
from warehouse.operational.models import Account, Campaign, Creator, Tag, TagItem, Video
from warehouse.operational.session import WriteSession

EVERY_ROW = true()


@dataclass(frozen=True, kw_only=True)
class Taggable:
    """How items of one type are found.

    `is_present` excludes removed items, which are not found. `is_counted` selects the items that a
    tag's usage_count counts.
    """

    model: type[Creator | Campaign | Account | Video]
    is_present: ColumnElement[bool] = EVERY_ROW
    is_counted: ColumnElement[bool] = EVERY_ROW


ITEMS: Mapping[str, Taggable] = {
    "creator": Taggable(
        model=Creator,
        is_present=Creator.is_active.is_(True),
        is_counted=Creator.is_active.is_(True),
    ),
    "campaign": Taggable(model=Campaign),
    "account": Taggable(
        model=Account,
        is_present=Account.is_active.is_(True),
        is_counted=Account.is_active.is_(True),
    ),
    "video": Taggable(model=Video, is_counted=Video.tracking_status != "excluded"),
}
"""By `entity_type`, in the order of lists of tags."""


def present_among(
    session: Session, organization_id: UUID, entity_type: str, ids: Collection[UUID]
) -> set[UUID]:
    """Return the ids that are items of the organization and not removed."""
    return _those(session, organization_id, entity_type, ids, ITEMS[entity_type].is_present)


def counted_among(
    session: Session, organization_id: UUID, entity_type: str, ids: Collection[UUID]
) -> set[UUID]:
    """Return the ids that are items of the organization and count in a tag's usage_count."""
    return _those(session, organization_id, entity_type, ids, ITEMS[entity_type].is_counted)


def _those(
    session: Session,
    organization_id: UUID,
    entity_type: str,
    ids: Collection[UUID],
    condition: ColumnElement[bool],
) -> set[UUID]:
    model = ITEMS[entity_type].model
    statement = select(model.id).where(
        model.organization_id == organization_id, model.id.in_(ids), condition
    )
    return set(session.scalars(statement))


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


Carried = Mapping[UUID, Set[UUID]]
"""The tags of items by item."""


@dataclass(frozen=True, slots=True)
class Moves:
    """How many tags were added to and removed from items; one tag on two items counts two."""

    added: int
    removed: int


def carried(rows: Iterable[Row]) -> Carried:
    """Group rows of TagItem by item; items without tags are left out."""
    tags: dict[UUID, set[UUID]] = defaultdict(set)
    for row in rows:
        tags[row["item_id"]].add(row["tag_id"])
    return tags


def bring_to(
    session: WriteSession,
    organization_id: UUID,
    entity_type: str,
    rows: Sequence[Row],
    tags_by_item: Carried,
) -> Moves:
    """Change `rows`, all existing rows of TagItem, to `tags_by_item`.

    The tags must be locked and exist.

    All items are of one type.
    """
    target = {(item_id, tag_id) for item_id, tags in tags_by_item.items() for tag_id in tags}
    present = {(row["item_id"], row["tag_id"]): row for row in rows}
    gone = [row for position, row in present.items() if position not in target]
    owner = {"organization_id": organization_id, "created_at": business_now(session)}
    new = [
        {"tag_id": tag_id, "item_id": item_id, **owner}
        for item_id, tag_id in sorted(target - present.keys())
    ]
    delete_many(session, TagItem, gone)
    insert_many(session, TagItem, new)
    touched = {row["item_id"] for row in (*gone, *new)}
    counted = counted_among(session, organization_id, entity_type, touched)
    _count(session, counted, gone, new)
    return Moves(added=len(new), removed=len(gone))


def _count(
    session: WriteSession, counted: Set[UUID], gone: Sequence[Row], new: Sequence[Row]
) -> None:
    """Update the tags' usage_count. The lock of `hold` serializes writers of a type."""
    rises = Counter(row["tag_id"] for row in new if row["item_id"] in counted)
    rises.subtract(row["tag_id"] for row in gone if row["item_id"] in counted)
    changed = [{"counted": tag_id, "rise": rise} for tag_id, rise in rises.items() if rise]
    if changed:
        statement = update(Tag).where(Tag.id == bindparam("counted"))
        risen = statement.values(usage_count=Tag.usage_count + bindparam("rise"))
        session.connection().execute(risen, changed)
