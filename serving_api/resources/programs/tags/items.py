"""Types of items with tags: an entry in ITEMS adds one."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import ColumnElement, select, true
from sqlalchemy.orm import Session

from warehouse.operational.models import Account, Campaign, Creator, Video

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


def counted(
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
