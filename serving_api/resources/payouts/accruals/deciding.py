"""Decide about accruals: approve, void, undo, and set notes (money.md M17)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from uuid import UUID

from serving_api.errors import AccrualOpen, AccrualPaid, Conflict, InvalidBody
from serving_api.kit.request_context import WriteContext
from serving_api.resources.payouts.accruals import presenter, repository, schemas
from serving_api.resources.payouts.accruals.changes import with_reason
from serving_api.resources.payouts.accruals.current import Accruals, accruals_now
from serving_api.resources.payouts.accruals.evidence import (
    Evidence,
    evidence_for,
    explain,
    find_required,
)
from serving_api.resources.payouts.accruals.holds import require_unheld
from serving_api.resources.payouts.accruals.replacing import replacements
from serving_api.resources.tracking.creators import repository as creators
from warehouse.operational.models import PayoutAccrualDecision
from warehouse.reading.accruals.accrual import CONTENT, Accrual


def decide(
    context: WriteContext,
    accrual_id: UUID,
    decision: schemas.AccrualDecision,
    *,
    expected: str | None = None,
) -> schemas.AccrualDetail:
    """Approve or void an accrual, undo that, or set its note.

    Raises what `decide_all` raises.
    """
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        [(accrual, evidence)] = _decide(context, accruals, {accrual_id: decision}, expected)
        decided = _decided(accruals, accrual)
        [explained] = explain(accruals, [decided], {accrual_id: evidence})
        return presenter.present_detail(accruals, explained)


def decide_all(
    context: WriteContext, decisions: Mapping[UUID, schemas.AccrualDecision], *, expected: str
) -> list[UUID]:
    """Decide about several accruals by the same few statements, all or none.

    Return those whose status changed.

    Raises NotFound, AccrualPaid for an accrual in a payment, AccrualOpen, and AccrualHeld for
    approving a held one. Raises InvalidBody if a sent amount differs, and Conflict if a status is
    neither `expected` nor the new one, and for restoring or approving one that another replaces.
    """
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        before = _decide(context, accruals, decisions, expected)
    return [
        accrual.accrual_id
        for accrual, _ in before
        if accrual.status != decisions[accrual.accrual_id].status
    ]


def _decide(
    context: WriteContext,
    accruals: Accruals,
    decisions: Mapping[UUID, schemas.AccrualDecision],
    expected: str | None,
) -> Sequence[tuple[Accrual, Evidence]]:
    """Store the decisions; return the accruals before them, with their evidence."""
    unlocked = find_required(accruals, decisions)
    # The lock serializes payments of a creator and decisions about its accruals.
    creator_ids = {accrual.creator_id for accrual in unlocked}
    creators.lock(context.session, context.organization_id, *creator_ids)
    listed = find_required(accruals, decisions)
    _require_decidable(accruals, listed, decisions, expected)
    evidence_of = evidence_for(accruals, listed)
    decided = [(accrual, evidence_of[accrual.accrual_id]) for accrual in listed]
    _write(context, decided, decisions)
    return decided


def _decided(accruals: Accruals, accrual: Accrual) -> Accrual:
    """Return the accrual after a decision.

    An adjustment that is no longer void may have nothing left to correct.
    """
    known = accruals.find([accrual.accrual_id])
    if accrual.accrual_id in known:
        return known[accrual.accrual_id].accrual
    return replace(accrual, status="final", amount_cents=0, precise_amount=Decimal(0))


def _require_decidable(
    accruals: Accruals,
    listed: Sequence[Accrual],
    decisions: Mapping[UUID, schemas.AccrualDecision],
    expected: str | None,
) -> None:
    sent = [(accrual, decisions[accrual.accrual_id]) for accrual in listed]
    if paid := [accrual.accrual_id for accrual in listed if accrual.payment_id is not None]:
        raise AccrualPaid(paid)
    decided = [(accrual, decision) for accrual, decision in sent if decision.sends("status")]
    if unended := [accrual.accrual_id for accrual, _ in decided if accrual.status == "open"]:
        raise AccrualOpen(unended)
    approved = [
        replace(accrual, status="approved")
        for accrual, decision in decided
        if decision.status == "approved"
    ]
    require_unheld(accruals, approved)  # a void accrual is not held before
    for accrual, decision in sent:
        if decision.sends("amount_cents") and decision.amount_cents != accrual.amount_cents:
            raise InvalidBody.at("amount_cents", f"the accrual is now {accrual.amount_cents} cents")
        if expected and accrual.status not in {expected, decision.status}:
            raise Conflict(
                "This accrual changed in the meantime. Nothing was saved; reload and try again."
            )
    restored = [each for each, to in decided if each.status == "void" and to.status == "final"]
    for replacement in replacements(accruals, [*restored, *approved]).values():
        raise replacement.refusal()


def _write(
    context: WriteContext,
    decided: Sequence[tuple[Accrual, Evidence]],
    decisions: Mapping[UUID, schemas.AccrualDecision],
) -> None:
    """Store the decisions with the accruals as they are now; fields that were not sent stay."""
    rows = repository.find_decisions(context, decisions)
    for accrual, evidence in decided:
        decision, row = decisions[accrual.accrual_id], rows.get(accrual.accrual_id)
        if row is None:
            row = PayoutAccrualDecision(accrual_id=accrual.accrual_id, decision=None, note=None)
            _copy(accrual, evidence, row)
        if decision.sends("status"):
            row.decision = None if decision.status == "final" else decision.status
            _copy(accrual, evidence, row)
        if decision.sends("note"):
            row.note = decision.note
        row.decided_at = context.now
        row.decided_by = context.caller.user_id
        context.session.add(row)
    context.session.flush()


def _copy(accrual: Accrual, evidence: Evidence, row: PayoutAccrualDecision) -> None:
    content = with_reason(accrual, evidence)
    for name in CONTENT:
        setattr(row, name, getattr(content, name))
    row.evidence = evidence
