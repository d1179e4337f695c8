"""Webhook events about disputes, recorded in the transaction of the change.

An event has amounts and ids. Reasons and answers are read over the API.
"""

from warehouse.operational.base import business_now
from warehouse.operational.models import PayoutDispute
from warehouse.operational.session import WriteSession
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import record


def notify(session: WriteSession, dispute: PayoutDispute) -> None:
    """Record that a dispute was opened or resolved."""
    data = {
        "dispute_id": str(dispute.id),
        "accrual_id": str(dispute.accrual_id),
        "project_id": str(dispute.project_id),
        "creator_id": str(dispute.creator_id),
        "structure_id": str(dispute.structure_id),
        "amount_cents": dispute.amount_cents,
        "currency": dispute.currency,
        "state": dispute.state,
        "due_at": dispute.due_at.isoformat(),
        "correction_id": dispute.correction_id and str(dispute.correction_id),
        "correction_cents": dispute.correction_cents,
    }
    event = Event(
        organization_id=dispute.organization_id,
        type="dispute.resolved" if dispute.resolved_at else "dispute.opened",
        entity_type="payout_dispute",
        entity_id=str(dispute.id),
        state=dispute.state,
        occurred_at=business_now(session),
        data=data,
    )
    record(session, [event])
