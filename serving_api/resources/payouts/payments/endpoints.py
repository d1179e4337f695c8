"""`/payout-payments`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import AdminWriter, Reader
from serving_api.errors import (
    AccrualHeld,
    AccrualOpen,
    AccrualPaid,
    AccrualVoid,
    Conflict,
    InvalidBody,
    InvalidCursor,
    InvalidQuery,
    NotesConflict,
    NotesTooLong,
    NotFound,
)
from serving_api.files.signed_urls import Files
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope, Page
from serving_api.openapi import answers
from serving_api.resources.payouts.payments import changing, schemas, service

router = keyed_router("payouts")

PAYMENT = "/payout-payments/{payment_id}"
UNPAYABLE = (
    *(AccrualHeld, AccrualOpen, AccrualPaid, AccrualVoid),
    *(Conflict, InvalidBody, NotesTooLong, NotFound),
)


@router.get("/payout-payments", responses=answers(InvalidCursor, InvalidQuery))
def list_payments(
    *, context: Reader, query: Annotated[schemas.PaymentQuery, Query()]
) -> Page[schemas.Payment]:
    """List payments. The newest comes first."""
    return service.list_payments(context, query)


@router.post("/payout-payments", status_code=201, responses=answers(*UNPAYABLE))
@idempotent()
def create_payment(
    *, context: AdminWriter, body: schemas.NewPayment
) -> Envelope[schemas.PaymentDetail]:
    """Record a payment. It freezes the amounts of its accruals, or is made on account."""
    return Envelope(data=service.pay(context, body))


@router.get(PAYMENT, responses=answers(NotFound))
def get_payment(*, context: Reader, payment_id: UUID) -> Envelope[schemas.PaymentDetail]:
    """Return one payment."""
    return Envelope(data=service.read_payment(context, payment_id))


@router.patch(PAYMENT, responses=answers(*UNPAYABLE, NotesConflict))
def change_payment(
    *, context: AdminWriter, files: Files, payment_id: UUID, body: schemas.PaymentChanges
) -> Envelope[schemas.PaymentDetail]:
    """Change a payment. `void` and `failed` release its accruals."""
    changed = changing.change(context, payment_id, body, files=files)
    return Envelope(data=changed)
