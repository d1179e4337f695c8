"""Who decided about an amount or a payment, when and why: from the change log and the holds."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row, and_, select
from sqlalchemy.orm import Session

from serving_api.kit.pagination import among
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import rows_of
from serving_api.resources.payouts.accruals.hold_records import hold_changes
from serving_api.resources.payouts.accruals.summary import page_dollars
from warehouse.operational.audit import entity_type_of
from warehouse.operational.base import Base
from warehouse.operational.models import (
    AuditEntry,
    ChangeEntry,
    PayoutAccrualDecision,
    PayoutPayment,
    PayoutPaymentAccrual,
    User,
)

DECIDED = {"approved": "Approved", "void": "Set to not be paid"}
PUT_ON_HOLD = "Put on hold"
VOID = "Void: "
"""Begins the reason in the notes of a payment that the desk voided."""


class Step(NamedTuple):
    """What happened to an amount or payment; `member` is null of keys and the service.

    `reason` is "" if something was set to not be paid without one.
    """

    at: datetime
    text: str
    member: str | None
    reason: str | None = None
    payment_id: UUID | None = None


def history_of_amount(
    session: Session, organization_id: UUID, accrual_id: UUID, subject_id: UUID
) -> Sequence[Step]:
    """Return the decisions, holds and payments of an accrual, the first first.

    Holds are of `subject_id`: of an adjustment, the accrual that it corrects.
    """
    changes = _changes(session, organization_id, PayoutAccrualDecision, [accrual_id])
    holds = hold_changes(session, organization_id, subject_id)
    steps = [
        *_decisions(changes),
        *(
            Step(each.at, PUT_ON_HOLD if each.anomaly_id else "Released", each.member, each.reason)
            for each in holds
        ),
        *_payments(session, organization_id, accrual_id),
    ]
    return sorted(steps, key=lambda step: step.at)


def history_of_payment(context: RequestContext, payment_id: UUID) -> Sequence[Step]:
    """Return how an existing payment was recorded and what became of it, the first first."""
    payment = context.session.scalars(
        rows_of(PayoutPayment, context.organization_id, payment_id)
    ).one()
    steps = _states(
        _changes(context.session, context.organization_id, PayoutPayment, [payment_id]), payment
    )
    return [step._replace(payment_id=None) for step in steps]


def live_payments_of_run(context: RequestContext, payment_id: UUID) -> Sequence[PayoutPayment]:
    """Return the pending and paid payments that the same request recorded, this one included."""
    is_recording = and_(
        ChangeEntry.organization_id == context.organization_id,
        ChangeEntry.entity_type == entity_type_of(PayoutPayment),
        ChangeEntry.kind == "created",
    )
    request = select(ChangeEntry.audit_entry_id).where(
        is_recording, ChangeEntry.entity_id == payment_id
    )
    of_run = select(ChangeEntry.entity_id).where(
        is_recording, ChangeEntry.audit_entry_id.in_(request.correlate(None))
    )
    live = rows_of(PayoutPayment, context.organization_id).where(
        PayoutPayment.id.in_(of_run), PayoutPayment.status.in_(("pending", "paid"))
    )
    return context.session.scalars(live.order_by(PayoutPayment.id)).all()


def _changes(
    session: Session, organization_id: UUID, model: type[Base], ids: Collection[UUID]
) -> Sequence[Row[*tuple[Any, ...]]]:
    """Return logged changes with the member of this organization who made them."""
    fields = ("decision", "amount_cents", "note", "status")
    statement = (
        select(
            ChangeEntry.entity_id,
            ChangeEntry.changed_at,
            User.display_name.label("member"),
            *(ChangeEntry.changes[field].label(field) for field in fields),
        )
        .join(AuditEntry, AuditEntry.id == ChangeEntry.audit_entry_id)
        .outerjoin(
            User,
            and_(User.id == AuditEntry.user_id, AuditEntry.organization_id == organization_id),
        )
        .where(
            ChangeEntry.organization_id == organization_id,
            ChangeEntry.entity_type == entity_type_of(model),
            among(ChangeEntry.entity_id, ids),
        )
        .order_by(ChangeEntry.changed_at, ChangeEntry.id)
    )
    return session.execute(statement).all()


def _decisions(changes: Sequence[Row[*tuple[Any, ...]]]) -> Iterator[Step]:
    decided, cents = None, 0
    last_note: str | None = None
    for change in changes:
        cents = change.amount_cents["to"] if change.amount_cents else cents
        note = change.note and change.note["to"]
        last_note = note if change.note else last_note
        if change.decision:
            before, decided = decided, change.decision["to"]
            undone = "Approval undone" if before == "approved" else "Restored"
            text = f"{DECIDED[decided]}, {page_dollars(cents)}" if decided else undone
        elif change.amount_cents and decided:
            text = f"{DECIDED[decided]} again, {page_dollars(cents)}"
        elif change.note:
            text = "Note saved" if note else "Note deleted"
        else:
            continue
        is_void = change.decision and decided == "void"
        yield Step(change.changed_at, text, change.member, last_note or "" if is_void else note)


def _payments(session: Session, organization_id: UUID, accrual_id: UUID) -> Iterator[Step]:
    """Yield the payments that the accrual was added to, and what became of these."""
    frozen = PayoutPaymentAccrual
    statement = (
        select(PayoutPayment, frozen.frozen_at)
        .join(frozen, frozen.payment_id == PayoutPayment.id)
        .where(frozen.organization_id == organization_id, frozen.accrual_id == accrual_id)
    )
    rows = session.execute(statement).all()
    changes = _changes(session, organization_id, PayoutPayment, [each.id for each, _ in rows])
    for payment, frozen_at in rows:
        recorded, *later = _states([row for row in changes if row.entity_id == payment.id], payment)
        member = None if payment.is_on_account else recorded.member
        yield Step(frozen_at, "Added to a payment", member, payment_id=payment.id)
        for step in later:
            if step.at >= frozen_at:
                yield step._replace(text=f"Payment {step.text[0].lower()}{step.text[1:]}")


def _states(changes: Sequence[Row[*tuple[Any, ...]]], payment: PayoutPayment) -> Iterator[Step]:
    """Yield the states of a payment, the first of its creation, logged or not."""
    states = [change for change in changes if change.status]
    if not states or states[0].status["from"]:
        yield Step(payment.created_at, "Recorded", None)
    for change in states:
        status = change.status["to"]
        text = f"Marked as {status}" if change.status["from"] else f"Recorded as {status}"
        _, has_reason, why = f"\n{payment.readme or ''}".rpartition(f"\n{VOID}")
        is_known = has_reason or not payment.readme
        reason = why.lstrip("\n") if is_known and status == "void" else None
        yield Step(change.changed_at, text, change.member, reason, payment.id)
