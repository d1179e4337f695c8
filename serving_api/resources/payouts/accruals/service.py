"""Explain accruals, decide about them, and release held ones (money.md M17, M19).

A release: a member reviewed an accrual's anomalies and gives a reason to pay.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from uuid import UUID

from serving_api.errors import AccrualOpen, AccrualPaid, Conflict, InvalidBody
from serving_api.kit.cursor import SEAL, RankedCursor, Seal
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import require_row
from serving_api.resources.payouts.accruals import presenter, repository, schemas
from serving_api.resources.payouts.accruals.changes import with_reason
from serving_api.resources.payouts.accruals.current import Accruals, accruals_now
from serving_api.resources.payouts.accruals.evidence import (
    Evidence,
    explain,
    find_explained,
    with_evidence,
)
from serving_api.resources.payouts.accruals.evidence_lists import (
    items_after,
    length_of,
    position_in,
)
from serving_api.resources.payouts.accruals.holds import (
    hold_of,
    odd_behind_any,
    require_unheld,
    subject_of,
)
from serving_api.resources.payouts.accruals.presenter import statement_of
from serving_api.resources.tracking.creators import repository as creators
from warehouse.operational.base import business_now
from warehouse.operational.models import PayoutAccrualDecision, PayoutHoldRelease
from warehouse.operational.session import WriteSession
from warehouse.reading.accruals.accrual import CONTENT, Accrual
from warehouse.reading.accruals.holds import OddReading
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import record


def read_accrual(context: RequestContext, accrual_id: UUID) -> schemas.AccrualDetail:
    """Return one accrual with its evidence. Raises NotFound."""
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        return presenter.present_detail(accruals, find_explained(accruals, accrual_id))


def read_checked(
    context: RequestContext, accrual_id: UUID
) -> tuple[schemas.AccrualDetail, schemas.Hold | None]:
    """Return one accrual and the hold that a release would lift. Raises NotFound.

    The hold lists the accrual's anomalies or, in a payment, those found later.
    """
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        explained = find_explained(accruals, accrual_id)
        readings = explained.waits_for or odd_behind_any(accruals, explained.accrual)
        check = hold_of(readings) if readings else None
        return presenter.present_detail(accruals, explained), check


def read_statement(context: RequestContext, accrual_id: UUID) -> schemas.SignedStatement:
    """Return the signed statement of one accrual. Raises NotFound."""
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        return statement_of(accruals, context.services, find_explained(accruals, accrual_id))


def read_evidence(
    context: RequestContext, accrual_id: UUID, query: schemas.EvidenceQuery
) -> schemas.EvidencePage:
    """Return a page of a list in an accrual's evidence. Raises NotFound, InvalidCursor."""
    seal: Seal = context.session.info[SEAL]
    listing = f"payout-evidence/{accrual_id}/{query.listed}"
    after = RankedCursor.decode(query.cursor, listing, seal) if query.cursor is not None else None
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        _, evidence = with_evidence(accruals, accrual_id)
    items = items_after(evidence, query.listed, after)
    page_items = items[: query.limit]
    has_more = len(items) > len(page_items)
    following = (
        position_in(query.listed, page_items[-1]).encode(listing, seal) if has_more else None
    )
    return schemas.EvidencePage(
        data=page_items,
        meta=schemas.EvidenceMeta(
            total=length_of(evidence, query.listed),
            hasMore=following is not None,
            nextCursor=following,
        ),
    )


def decide(
    context: WriteContext,
    accrual_id: UUID,
    decision: schemas.AccrualDecision,
    *,
    expected: str | None = None,
) -> schemas.AccrualDetail:
    """Approve or void an accrual, undo that, or set its note.

    Raises NotFound, AccrualPaid for an accrual in a payment, AccrualOpen, and AccrualHeld for
    approving a held one. Raises InvalidBody if the sent amount differs, and Conflict if its status
    is neither `expected` nor the new one.
    """
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        known, _ = with_evidence(accruals, accrual_id)
        # The lock serializes payments of a creator and decisions about its accruals.
        creators.lock(context.session, context.organization_id, known.accrual.creator_id)
        known, evidence = with_evidence(accruals, accrual_id)
        _require_decidable(accruals, known.accrual, decision)
        if expected and known.accrual.status not in {expected, decision.status}:
            raise Conflict(
                "This accrual changed in the meantime. Nothing was saved; reload and try again."
            )
        _write(context, known.accrual, evidence, decision)
        decided = _decided(accruals, known.accrual)
        [explained] = explain(accruals, [decided], {accrual_id: evidence})
        return presenter.present_detail(accruals, explained)


def _decided(accruals: Accruals, accrual: Accrual) -> Accrual:
    """Return the accrual after a decision.

    An adjustment that is no longer void may have nothing left to correct.
    """
    known = accruals.find([accrual.accrual_id])
    if accrual.accrual_id in known:
        return known[accrual.accrual_id].accrual
    return replace(accrual, status="final", amount_cents=0, precise_amount=Decimal(0))


def _require_decidable(
    accruals: Accruals, accrual: Accrual, decision: schemas.AccrualDecision
) -> None:
    if accrual.payment_id is not None:
        raise AccrualPaid([accrual.accrual_id])
    if accrual.status == "open" and decision.sends("status"):
        raise AccrualOpen([accrual.accrual_id])
    if decision.sends("status") and decision.status == "approved":
        require_unheld(accruals, [accrual])
    if decision.sends("amount_cents") and decision.amount_cents != accrual.amount_cents:
        raise InvalidBody.at("amount_cents", f"the accrual is now {accrual.amount_cents} cents")


def _write(
    context: WriteContext, accrual: Accrual, evidence: Evidence, decision: schemas.AccrualDecision
) -> None:
    """Store the decision with the accrual as it is now; fields that were not sent stay."""
    row = repository.find_decision(context.session, context.organization_id, accrual.accrual_id)
    if row is None:
        row = PayoutAccrualDecision(accrual_id=accrual.accrual_id, decision=None, note=None)
        _copy(accrual, evidence, row)
    if decision.sends("status"):
        row.decision = None if decision.status == "final" else decision.status
        _copy(accrual, evidence, row)
    if decision.sends("note"):
        row.note = decision.note
    row.decided_at = business_now(context.session)
    row.decided_by = context.caller.user_id
    context.session.add(row)
    context.session.flush()


def _copy(accrual: Accrual, evidence: Evidence, row: PayoutAccrualDecision) -> None:
    content = with_reason(accrual, evidence)
    for name in CONTENT:
        setattr(row, name, getattr(content, name))
    row.evidence = evidence


def release(
    context: WriteContext, accrual_id: UUID, body: schemas.Release
) -> schemas.AccrualDetail:
    """Release an accrual from its current anomalies, not from later ones.

    For a paid accrual these are the anomalies found since. Without any, nothing changes. Raises
    NotFound.
    """
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        unlocked = _required(accruals, accrual_id)
        # The lock serializes payments of a creator and releases of its accruals.
        creators.lock(context.session, context.organization_id, unlocked.creator_id)
        accrual = _required(accruals, accrual_id)
        if readings := odd_behind_any(accruals, accrual):
            _write_releases(context, accrual, readings, body.reason)
            _send_event(context.session, accrual, readings)
        return presenter.present_detail(accruals, find_explained(accruals, accrual_id))


def _required(accruals: Accruals, accrual_id: UUID) -> Accrual:
    known = require_row(accruals.find([accrual_id]).get(accrual_id), "Accrual")
    return known.accrual


def _write_releases(
    context: WriteContext, accrual: Accrual, readings: Sequence[OddReading], reason: str
) -> None:
    now = business_now(context.session)
    context.session.add_all(
        PayoutHoldRelease(
            accrual_id=subject_of(accrual),
            anomaly_id=reading.anomaly_id,
            organization_id=context.organization_id,
            project_id=accrual.project_id,
            reason=reason,
            released_at=now,
            released_by=context.caller.user_id,
        )
        for reading in readings
    )
    context.session.flush()


def _send_event(session: WriteSession, accrual: Accrual, readings: Sequence[OddReading]) -> None:
    """Record the webhook event in the transaction of the release."""
    released = sorted(str(reading.anomaly_id) for reading in readings)
    event = Event(
        organization_id=accrual.organization_id,
        type="accrual.released",
        entity_type="payout_accrual",
        entity_id=str(subject_of(accrual)),
        state=" ".join(["released from", *released]),
        occurred_at=business_now(session),
        data={
            "accrual_id": str(accrual.accrual_id),
            "project_id": str(accrual.project_id),
            "creator_id": str(accrual.creator_id),
            "structure_id": str(accrual.structure_id),
            "amount_cents": accrual.amount_cents,
            "currency": accrual.currency,
            "readings": len(readings),
        },
    )
    record(session, [event])
