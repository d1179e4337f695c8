"""Open a dispute: by a member over the API, or by a creator on the share page."""

from datetime import timedelta
from uuid import UUID

from serving_api.errors import DisputeOpen
from serving_api.resources.payouts.accruals.current import Known
from serving_api.resources.payouts.disputes import repository
from serving_api.resources.payouts.disputes.correcting import adjusted_so_far
from serving_api.resources.payouts.disputes.notifying import notify
from serving_api.resources.tracking.creators import repository as creators
from warehouse.operational.base import business_now
from warehouse.operational.models import PayoutDispute
from warehouse.operational.session import WriteSession

DUE = timedelta(days=7)
"""How long an organization has to correct or reject. All periods except months end within it."""


def dispute(session: WriteSession, known: Known, reason: str, *, by: UUID | None) -> PayoutDispute:
    """Open a dispute of the current amount; `by` is None if the creator opens it.

    Raises DisputeOpen if the accrual has an unresolved dispute.
    """
    accrual = known.accrual
    # The creator's lock serializes disputes with decisions and payments.
    creators.lock(session, accrual.organization_id, accrual.creator_id)
    earlier = repository.unresolved(session, accrual.organization_id, accrual.accrual_id)
    if earlier is not None:
        raise DisputeOpen(earlier)
    opened_at = business_now(session)
    row = PayoutDispute(
        organization_id=accrual.organization_id,
        project_id=accrual.project_id,
        creator_id=accrual.creator_id,
        structure_id=accrual.structure_id,
        accrual_id=accrual.accrual_id,
        period_start=accrual.period_start,
        period_end=accrual.period_end,
        currency=accrual.currency,
        amount_cents=accrual.amount_cents,
        adjustments=adjusted_so_far(known),
        state="open",
        reason=reason,
        opened_at=opened_at,
        opened_by=by,
        due_at=opened_at + DUE,
    )
    session.add(row)
    session.flush()
    notify(session, row)
    return row
