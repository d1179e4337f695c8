"""SQL of payout accounts. Every statement names the organization."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.operational.models import PayoutAccount


def find(session: Session, organization_id: UUID, creator_id: UUID) -> PayoutAccount | None:
    """Return the creator's payout account, None where the organization has none for it."""
    return session.scalar(
        select(PayoutAccount).where(
            PayoutAccount.organization_id == organization_id,
            PayoutAccount.creator_id == creator_id,
        )
    )
