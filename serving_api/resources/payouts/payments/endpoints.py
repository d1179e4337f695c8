"""`/payout-payments`, and changing a payment: status, accruals and details (money.md M18)."""

from collections.abc import Mapping
from uuid import UUID

from serving_api.auth.dependencies import AdminWriter, Reader
from serving_api.errors import (
    AccrualHeld,
    AccrualOpen,
    AccrualPaid,
    AccrualVoid,
    Conflict,
    InvalidBody,
    NotesConflict,
    NotesTooLong,
    NotFound,
)
from serving_api.files.kinds import RECEIPT, receipt_folder
from serving_api.files.signed_urls import Files
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope, Page
from serving_api.kit.published import Published
from serving_api.kit.readme import replace_readme
from serving_api.kit.request_context import WriteContext
from serving_api.kit.rows import lock_own, require_own
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.payouts.accruals.current import accruals_now
from serving_api.resources.payouts.payments import repository, schemas, service
from serving_api.resources.payouts.payments.repository import Candidates, freeze
from serving_api.resources.payouts.payments.service import LIVE, notify
from serving_api.resources.tracking.creators import repository as creators
from warehouse.operational.base import business_now
from warehouse.operational.models import PayoutPayment
from warehouse.operational.session import WriteSession
from warehouse.storage.storage import Storage

NEXT: Mapping[str, frozenset[str]] = {
    "pending": frozenset({"paid", "failed", "void"}),
    "paid": frozenset({"failed", "void"}),
    "failed": frozenset(),
    "void": frozenset(),
}
"""Allowed next statuses by status."""


def change(
    context: WriteContext, payment_id: UUID, changes: schemas.PaymentChanges, *, files: Storage
) -> schemas.PaymentDetail:
    """Change a payment; either everything sent is applied or nothing.

    Raises NotFound, Conflict for a disallowed status change and for a payment that takes no
    accruals, InvalidBody, NotesConflict, NotesTooLong, and the errors of `payable`.
    """
    problem = None
    if changes.receipt_path is not None:  # before the transaction
        folder = receipt_folder(context.organization_id, payment_id)
        problem = RECEIPT.keep(files, folder, changes.receipt_path)
    payment = _locked(context, payment_id)
    before = payment.status
    _move(context.session, payment, changes)
    if changes.accrual_ids:
        _add(context.session, context.marts, payment, changes.accrual_ids)
    if problem is not None:
        raise problem
    _note(context.session, payment, changes)
    context.session.flush()
    if payment.status != before:
        notify(context.session, payment)
    return service.present_detail(context, payment)


def _locked(context: WriteContext, payment_id: UUID) -> PayoutPayment:
    """Lock the creator, which serializes payments and decisions, then the payment."""
    payment = require_own(context, PayoutPayment, payment_id, "Payout payment")
    creators.lock(context.session, context.organization_id, payment.creator_id)
    return lock_own(context, PayoutPayment, payment_id, "Payout payment", key_share=False)


def _move(session: WriteSession, payment: PayoutPayment, changes: schemas.PaymentChanges) -> None:
    if changes.sends("status") and changes.status != payment.status:
        _set_status(session, payment, changes.status)
    if changes.sends("paid_at"):
        if payment.status != "paid":
            raise InvalidBody.at("paid_at", "can only be set on a paid payment")
        payment.paid_at = changes.paid_at


def _set_status(session: WriteSession, payment: PayoutPayment, status: str) -> None:
    if status not in NEXT[payment.status]:
        raise Conflict(
            f"Can't change the payment from {payment.status} to {status}",
            reason=f"payment_{payment.status}",
        )
    payment.status = status
    if status == "paid":
        payment.paid_at = business_now(session)
    elif status not in LIVE:
        repository.release(session, payment, business_now(session))


def _add(
    session: WriteSession, numbers: Published, payment: PayoutPayment, accrual_ids: list[UUID]
) -> None:
    """Add accruals to a payment on account, up to its amount; existing ones stay."""
    if not payment.is_on_account:
        raise Conflict("Accruals can only be added to payments on account", reason="not_on_account")
    if payment.status not in LIVE:
        raise Conflict(f"The payment is {payment.status}", reason=f"payment_{payment.status}")
    there = repository.accrual_ids(session, payment.organization_id, [payment.id])
    added = [
        accrual_id for accrual_id in accrual_ids if accrual_id not in there.get(payment.id, ())
    ]
    if len(there.get(payment.id, ())) + len(added) > schemas.MAX_ACCRUALS:
        raise InvalidBody.at("accrual_ids", f"a payment can have at most {schemas.MAX_ACCRUALS}")
    with accruals_now(session, numbers, payment.organization_id) as accruals:
        paid = Candidates.find(accruals, added).payable(payment.creator_id, added)
        freeze(session, accruals, {payment: paid})
    _require_covered(session, payment)


def _require_covered(session: WriteSession, payment: PayoutPayment) -> None:
    total = repository.frozen_cents(session, payment)
    if not 0 <= total <= payment.amount_cents:
        raise InvalidBody.at(
            "accrual_ids",
            f"sum to {total} cents, which is not between 0 and the payment's"
            f" {payment.amount_cents} cents",
        )


def _note(session: WriteSession, payment: PayoutPayment, changes: schemas.PaymentChanges) -> None:
    if changes.sends("reference"):
        payment.reference = changes.reference
    if changes.sends("receipt_path"):
        payment.receipt_path = changes.receipt_path
    if changes.sends("readme"):
        replace_readme(session, payment, changes.readme, changes.expected_readme_version)


router = keyed_router("payouts")

PAYMENT = "/payout-payments/{payment_id}"
UNPAYABLE = (
    *(AccrualHeld, AccrualOpen, AccrualPaid, AccrualVoid),
    *(Conflict, NotesTooLong, NotFound),
)


@router.get("/payout-payments")
def list_payments(*, context: Reader, query: Params[schemas.PaymentQuery]) -> Page[schemas.Payment]:
    """List payments. The newest comes first."""
    return service.list_payments(context, query)


@router.post("/payout-payments", status_code=201, responses=answers(*UNPAYABLE))
@idempotent()
def create_payment(
    *, context: AdminWriter, body: schemas.NewPayment
) -> Envelope[schemas.PaymentDetail]:
    """Record a payment. It freezes the amounts of its accruals, or is made on account.

    Accruals may be `final` or `approved`: an approval is not required.
    """
    return Envelope(data=service.pay(context, body))


@router.get(PAYMENT)
def get_payment(*, context: Reader, payment_id: UUID) -> Envelope[schemas.PaymentDetail]:
    """Return one payment."""
    return Envelope(data=service.read_payment(context, payment_id))


@router.patch(PAYMENT, responses=answers(*UNPAYABLE, NotesConflict))
def change_payment(
    *, context: AdminWriter, files: Files, payment_id: UUID, body: schemas.PaymentChanges
) -> Envelope[schemas.PaymentDetail]:
    """Change a payment. `void` and `failed` release its accruals."""
    changed = change(context, payment_id, body, files=files)
    return Envelope(data=changed)
