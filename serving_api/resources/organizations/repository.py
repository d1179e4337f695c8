"""SQL of organizations."""

from uuid import UUID

from sqlalchemy import select

from warehouse.operational.models import Organization
from warehouse.operational.session import WriteSession


def lock(session: WriteSession, organization_id: UUID) -> None:
    """Make the transaction the only one that counts and adds what the plan limits.

    `for no key update` leaves alone those who only refer to the organization.
    """
    session.execute(
        select(Organization.id)
        .where(Organization.id == organization_id)
        .with_for_update(key_share=True)
    )
