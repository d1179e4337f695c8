"""SQL of organizations."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.errors import NotFound
from serving_api.kit.pagination import Keyset
from warehouse.operational.models import Organization
from warehouse.operational.session import WriteSession

NEWEST_FIRST = Keyset(Organization.created_at, Organization.id, "organizations")


def require(session: Session, organization_id: UUID) -> Organization:
    """Return an organization; that the caller may see it was checked. Raises NotFound."""
    found = session.get(Organization, organization_id)
    if found is None:
        raise NotFound.named("Organization")
    return found


def lock(session: WriteSession, organization_id: UUID) -> Organization:
    """Return an organization for writing, or for counting and adding what is limited there.

    One transaction at a time holds it; `for no key update` leaves alone those who only refer to
    the organization. Raises NotFound.
    """
    found = session.scalar(
        select(Organization)
        .where(Organization.id == organization_id)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )
    if found is None:
        raise NotFound.named("Organization")
    return found


def zone_of(session: Session, organization_id: UUID) -> str:
    """Return the zone that an organization has now, whatever it had when the request began."""
    zone = select(Organization.analytics_tz).where(Organization.id == organization_id)
    return session.scalars(zone).one()
