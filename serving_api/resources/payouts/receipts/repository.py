"""SQL of receipts: the payments that they belong to. Every statement names the organization."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.operational.models import PayoutPayment


def find_payment(session: Session, organization_id: UUID, payment_id: UUID) -> PayoutPayment | None:
    """Return the payment; None if it is absent or another organization's."""
    return session.scalar(
        select(PayoutPayment).where(
            PayoutPayment.organization_id == organization_id, PayoutPayment.id == payment_id
        )
    )
