"""Webhook events about payments, recorded in the transaction of the change."""

from serving_api.resources.payouts.payments import repository
from warehouse.operational.base import business_now
from warehouse.operational.models import PayoutPayment
from warehouse.operational.session import WriteSession
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import record


def notify(session: WriteSession, payment: PayoutPayment) -> None:
    """Record that a payment was created or its status changed (money.md M18)."""
    paid = repository.accrual_ids(session, payment.organization_id, [payment.id])
    data = {
        "payment_id": str(payment.id),
        "project_id": str(payment.project_id),
        "creator_id": str(payment.creator_id),
        "amount_cents": payment.amount_cents,
        "currency": payment.currency,
        "status": payment.status,
        "accrual_ids": [str(accrual_id) for accrual_id in paid.get(payment.id, [])],
    }
    event = Event(
        organization_id=payment.organization_id,
        type="payment.recorded",
        entity_type="payout_payment",
        entity_id=str(payment.id),
        state=payment.status,
        occurred_at=business_now(session),
        data=data,
    )
    record(session, [event])
