"""Reads and writes which items have which tags; the only place that writes them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import bindparam, update

from serving_api.resources.programs.tags import items
from warehouse.operational.audit_many import delete_many, insert_many
from warehouse.operational.base import business_now
from warehouse.operational.inserting import Row
from warehouse.operational.models import Tag, TagItem
from warehouse.operational.session import WriteSession

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
    counted = items.counted(session, organization_id, entity_type, touched)
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
