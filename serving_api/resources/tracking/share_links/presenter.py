"""Share links as answers. Callers pass `encryption` only if the PIN may be seen."""

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.http.sessions import ORIGIN
from serving_api.resources.tracking.share_links import repository
from serving_api.resources.tracking.share_links.pins import read_pin
from serving_api.resources.tracking.share_links.schemas import (
    AnyShareLink,
    OpenShareLink,
    Section,
    ShareLink,
)
from warehouse.encryption import Encryption
from warehouse.operational import models

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
    links = repository.of_creators(session, organization_id, creator_ids)
    return {creator_id: present(session, link, encryption) for creator_id, link in links.items()}
