"""Rows of share links, and links as answers. Every statement names the organization.

Callers pass `encryption` only if the PIN may be seen.
"""

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.http.sessions import ORIGIN
from serving_api.kit.rows import rows_of
from serving_api.resources.tracking.share_links.schemas import (
    AnyShareLink,
    OpenShareLink,
    Section,
    ShareLink,
    read_pin,
)
from warehouse.encryption import Encryption
from warehouse.operational import models
from warehouse.operational.session import WriteSession


def of_creators(
    session: Session, organization_id: UUID, creator_ids: Collection[UUID]
) -> Mapping[UUID, models.ShareLink]:
    """Return links by creator; creators without one are left out."""
    if not creator_ids:
        return {}
    links = session.scalars(
        rows_of(models.ShareLink, organization_id).where(
            models.ShareLink.creator_id.in_(creator_ids)
        )
    )
    return {link.creator_id: link for link in links}


def find(session: Session, organization_id: UUID, creator_id: UUID) -> models.ShareLink | None:
    return of_creators(session, organization_id, [creator_id]).get(creator_id)


def lock_for_change(
    session: WriteSession, organization_id: UUID, creator_ids: Collection[UUID]
) -> Mapping[UUID, models.ShareLink]:
    """Return links by creator, locked for update. The creators must be locked before."""
    links = session.scalars(
        rows_of(models.ShareLink, organization_id)
        .where(models.ShareLink.creator_id.in_(creator_ids))
        .order_by(models.ShareLink.creator_id)
        .with_for_update()
    )
    return {link.creator_id: link for link in links}


def lock_shareable(
    session: WriteSession, organization_id: UUID, creator_ids: Collection[UUID]
) -> Collection[UUID]:
    """Lock creators in a fixed order; return the ids of those not removed."""
    return session.scalars(
        select(models.Creator.id)
        .where(
            models.Creator.organization_id == organization_id,
            models.Creator.id.in_(creator_ids),
            models.Creator.is_active,
        )
        .order_by(models.Creator.id)
        .with_for_update(key_share=True)
    ).all()


PATH = "/share/creator"


def url_of(session: Session, creator_id: UUID) -> str:
    """Return the URL of a creator's page, with or without a link (contract, Share link)."""
    return f"{session.info[ORIGIN]}{PATH}/{creator_id}"


def sections_of(link: models.ShareLink) -> list[Section]:
    choices: list[tuple[Section, bool]] = [
        ("analytics", link.show_analytics),
        ("payouts", link.show_payouts),
    ]
    return [section for section, is_chosen in choices if is_chosen]


def present(
    session: Session, link: models.ShareLink, encryption: Encryption | None = None
) -> AnyShareLink:
    """Return a link, with its PIN if `encryption` can decrypt it."""
    share_link = ShareLink(
        url=url_of(session, link.creator_id),
        enabled=link.is_enabled,
        sections=sections_of(link),
        created_at=link.created_at,
    )
    if encryption is None:
        return share_link
    return OpenShareLink(**dict(share_link), pin=read_pin(link, encryption))


def present_of_creators(
    session: Session,
    organization_id: UUID,
    creator_ids: Collection[UUID],
    encryption: Encryption | None = None,
) -> Mapping[UUID, AnyShareLink]:
    """Return links by creator, by one query; creators without one are left out."""
    links = of_creators(session, organization_id, creator_ids)
    return {creator_id: present(session, link, encryption) for creator_id, link in links.items()}
