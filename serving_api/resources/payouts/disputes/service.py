"""`/payout-disputes`: list disputes, open them over the API, and decide about them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from serving_api.auth.dependencies import AdminWriter, Reader, Writer
from serving_api.errors import Conflict, DisputeOpen, InvalidBody, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope, Page
from serving_api.kit.pagination import read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import from_row, lock_own, require_own
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.payouts.accruals.current import Known, accruals_now
from serving_api.resources.payouts.disputes import repository, schemas
from serving_api.resources.payouts.disputes.repository import adjusted_so_far, latest_correction
from serving_api.resources.tracking.creators import repository as creators
from warehouse.operational.base import business_now
from warehouse.operational.models import PayoutDispute
from warehouse.operational.session import WriteSession
from warehouse.reading.accruals.accrual import Accrual
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import record

ONE_DAY = timedelta(days=1)
Correction = tuple[UUID | None, int]
"""The amount that corrects another, None if that one itself changed, and by how many cents."""


def present(row: PayoutDispute, now: datetime) -> schemas.Dispute:
    """Return a dispute as an answer. Its age stops once it is resolved."""
    return from_row(
        schemas.Dispute,
        row,
        is_overdue=row.resolved_at is None and row.due_at <= now,
        age_days=((row.resolved_at or now) - row.opened_at) // ONE_DAY,
    )


NEXT: Mapping[str, frozenset[str]] = {
    "open": frozenset({"answered", "corrected", "rejected"}),
    "answered": frozenset({"corrected", "rejected"}),
    "corrected": frozenset(),
    "rejected": frozenset(),
}
"""Allowed next states by state."""


def list_page(context: RequestContext, query: schemas.DisputeQuery) -> Page[schemas.Dispute]:
    """Return a page of disputes, newest first. Raises InvalidCursor."""
    now = context.now
    statement = repository.filtered(context.organization_id, query, now)
    keyset = repository.NEWEST_FIRST.of(context.organization_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(lambda rows: [present(row, now) for row in rows])


def read_dispute(context: RequestContext, dispute_id: UUID) -> schemas.Dispute:
    """Return one dispute. Raises NotFound."""
    row = require_own(context, PayoutDispute, dispute_id, "Payout dispute")
    return present(row, context.now)


def correction_of(context: RequestContext, dispute_id: UUID) -> tuple[Accrual, int] | None:
    """Return the adjustment that corrects a disputed amount, and by how many cents, or None.

    Raises NotFound.
    """
    row = require_own(context, PayoutDispute, dispute_id, "Payout dispute")
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        disputed = accruals.find([row.accrual_id]).get(row.accrual_id)
    return latest_correction(context.session, disputed, row) if disputed else None


def decide(
    context: WriteContext,
    dispute_id: UUID,
    decision: schemas.DisputeDecision,
    correction: Correction | None = None,
) -> schemas.Dispute:
    """Answer, correct or reject a dispute; `correction` is one that was just made for it.

    Raises NotFound, Conflict for a disallowed state change and for `corrected` without a
    correction, and InvalidBody if `correction_id` does not correct the amount.
    """
    row = lock_for(context, dispute_id, decision.state)
    if decision.state == "corrected":
        made = correction or _correction(context, row, decision.correction_id)
        row.correction_id, row.correction_cents = made
    now = context.now
    row.state, row.answer = decision.state, decision.answer
    row.answered_at, row.answered_by = now, context.caller.user_id
    if not NEXT[decision.state]:
        row.resolved_at, row.resolved_by = now, context.caller.user_id
    context.session.flush()
    if row.resolved_at is not None:
        notify(context.session, row)
    return present(row, now)


def lock_for(context: WriteContext, dispute_id: UUID, state: str) -> PayoutDispute:
    """Lock the creator, then the dispute. Raises NotFound, and Conflict if it cannot change so."""
    dispute = require_own(context, PayoutDispute, dispute_id, "Payout dispute")
    creators.lock(context.session, context.organization_id, dispute.creator_id)
    row = lock_own(context, PayoutDispute, dispute_id, "Payout dispute", key_share=False)
    if state not in NEXT[row.state]:
        raise Conflict(
            f"Can't change the dispute from {row.state} to {state}", reason=f"dispute_{row.state}"
        )
    return row


def _correction(
    context: WriteContext, row: PayoutDispute, correction_id: UUID | None
) -> Correction:
    """Return by what and how many cents the disputed amount was corrected.

    A paid amount is corrected by an adjustment (money.md M19): by what changed of it since the
    dispute, or by all that existed and that no dispute names. An unpaid amount changes itself, to
    0 if its subject is gone.
    """
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        disputed = accruals.find([row.accrual_id]).get(row.accrual_id)
    if correction_id is None:
        now = disputed.accrual.amount_cents if disputed else 0
        if now == row.amount_cents:
            raise Conflict(
                "The amount has not changed yet. Change what it is computed from first: it follows"
                " with the next run",
                reason="not_corrected",
            )
        return None, now - row.amount_cents
    latest = latest_correction(context.session, disputed, row) if disputed else None
    if latest is None or latest[0].accrual_id != correction_id:
        raise InvalidBody.at(
            "correction_id",
            "must be the latest adjustment of the paid accrual since the dispute, or the latest"
            " that no dispute names",
        )
    return correction_id, latest[1]


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


router = keyed_router("payouts")

DISPUTE = "/payout-disputes/{dispute_id}"


@router.get("/payout-disputes")
def list_payout_disputes(
    *, context: Reader, query: Params[schemas.DisputeQuery]
) -> Page[schemas.Dispute]:
    """List disputed amounts. The newest comes first."""
    return list_page(context, query)


@router.post("/payout-disputes", status_code=201, responses=answers(DisputeOpen, NotFound))
@idempotent()
def create_payout_dispute(
    *, context: Writer, body: schemas.NewDispute
) -> Envelope[schemas.Dispute]:
    """Dispute an amount. Creators do this themselves on their share page."""
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        known = accruals.find([body.accrual_id]).get(body.accrual_id)
    if known is None:
        raise NotFound.named("Accrual")
    row = dispute(context.session, known, body.reason, by=context.caller.user_id)
    return Envelope(data=present(row, context.now))


@router.get(DISPUTE)
def get_payout_dispute(*, context: Reader, dispute_id: UUID) -> Envelope[schemas.Dispute]:
    """Return one dispute."""
    return Envelope(data=read_dispute(context, dispute_id))


@router.patch(DISPUTE, responses=answers(Conflict))
def decide_payout_dispute(
    *, context: AdminWriter, dispute_id: UUID, body: schemas.DisputeDecision
) -> Envelope[schemas.Dispute]:
    """Answer a dispute, and mark it as corrected or rejected."""
    return Envelope(data=decide(context, dispute_id, body))
