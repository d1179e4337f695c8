"""SQL of share links. Every statement names the organization."""

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.kit.rows import rows_of
from warehouse.operational.models import Creator, ShareLink
from warehouse.operational.session import WriteSession


def of_creators(
    session: Session, organization_id: UUID, creator_ids: Collection[UUID]
) -> Mapping[UUID, ShareLink]:
    """Return links by creator; creators without one are left out."""
    if not creator_ids:
        return {}
    links = session.scalars(
        rows_of(ShareLink, organization_id).where(ShareLink.creator_id.in_(creator_ids))
    )
    return {link.creator_id: link for link in links}


def find(session: Session, organization_id: UUID, creator_id: UUID) -> ShareLink | None:
    """Return the creator's link, or None."""
    return of_creators(session, organization_id, [creator_id]).get(creator_id)


def lock_for_change(
    session: WriteSession, organization_id: UUID, creator_ids: Collection[UUID]
) -> Mapping[UUID, ShareLink]:
    """Return links by creator, locked for update. The creators must be locked before."""
    links = session.scalars(
        rows_of(ShareLink, organization_id)
        .where(ShareLink.creator_id.in_(creator_ids))
        .order_by(ShareLink.creator_id)
        .with_for_update()
    )
    return {link.creator_id: link for link in links}


def lock_shareable(
    session: WriteSession, organization_id: UUID, creator_ids: Collection[UUID]
) -> Collection[UUID]:
    """Lock creators in a fixed order; return the ids of those not removed."""
    return session.scalars(
        select(Creator.id)
        .where(
            Creator.organization_id == organization_id,
            Creator.id.in_(creator_ids),
            Creator.is_active,
        )
        .order_by(Creator.id)
        .with_for_update(key_share=True)
    ).all()
