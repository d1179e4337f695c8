"""Read and create payments; `endpoints` changes them."""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from serving_api.errors import InvalidBody, InvalidQuery, NotFound
from serving_api.kit.days import require_order
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import read_slice
from serving_api.kit.readme import readme_version, replace_readme
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import from_row, lock_own, require_own
from serving_api.resources.organization import projects
from serving_api.resources.payouts.accruals.current import Known, accruals_now
from serving_api.resources.payouts.methods import service as methods
from serving_api.resources.payouts.payments import repository, schemas
from serving_api.resources.payouts.payments.repository import freeze, payable
from warehouse.operational.base import business_now
from warehouse.operational.models import Creator, PayoutPayment
from warehouse.operational.session import WriteSession
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import record


def present(context: RequestContext, rows: Sequence[PayoutPayment]) -> list[schemas.Payment]:
    ids = [row.id for row in rows]
    paid = repository.accrual_ids(context.session, context.organization_id, ids)
    return [_present(row, paid.get(row.id, [])) for row in rows]


def present_detail(context: RequestContext, row: PayoutPayment) -> schemas.PaymentDetail:
    [payment] = present(context, [row])
    return schemas.PaymentDetail(**dict(payment), readme_version=readme_version(row.readme))


def _present(row: PayoutPayment, accrual_ids: list[UUID]) -> schemas.Payment:
    return from_row(schemas.Payment, row, accrual_ids=accrual_ids)


def list_payments(context: RequestContext, query: schemas.PaymentQuery) -> Page[schemas.Payment]:
    """Return a page of payments, newest first. Raises InvalidQuery and InvalidCursor."""
    require_order(query.from_day, query.to_day, InvalidQuery)
    statement = repository.filtered(context.organization_id, query, context.caller.analytics_tz)
    keyset = repository.NEWEST_FIRST.of(context.organization_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(partial(present, context))


def read_payment(context: RequestContext, payment_id: UUID) -> schemas.PaymentDetail:
    """Return one payment. Raises NotFound."""
    payment = require_own(context, PayoutPayment, payment_id, "Payout payment")
    return present_detail(context, payment)


def pay(context: WriteContext, body: schemas.NewPayment) -> schemas.PaymentDetail:
    """Record a payment and freeze its accruals (money.md M18).

    Raises NotFound, Conflict for an inactive method, AccrualPaid, AccrualVoid, AccrualOpen,
    AccrualHeld, and InvalidBody for another creator's accruals or amounts that do not match.
    """
    projects.require(context.session, context.organization_id, body.project_id)
    creator = _creator(context, body)
    methods.hold_active(context, body.payout_method_id)
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        paid = payable(accruals, creator.id, body.accrual_ids or [])
        payment = _payment(context, body, _amount(body, paid))
        freeze(context.session, accruals, payment, paid)
    notify(context.session, payment)
    return present_detail(context, payment)


def _creator(context: WriteContext, body: schemas.NewPayment) -> Creator:
    """Return the creator, active or removed, locked so that its payments are serialized."""
    creator = lock_own(context, Creator, body.creator_id, "Creator")
    if creator.project_id != body.project_id:
        raise NotFound.named("Creator")
    return creator


def _amount(body: schemas.NewPayment, paid: Sequence[Known]) -> int:
    """Return the payment in cents: the sum of its accruals, or the amount on account."""
    if not body.accrual_ids:
        return body.amount_cents or 0
    total = sum(known.accrual.amount_cents for known in paid)
    if total < 0:
        raise InvalidBody.at(
            "accrual_ids", f"sum to {total} cents, but a payment cannot be negative"
        )
    if body.amount_cents not in (None, total):
        raise InvalidBody.at("amount_cents", f"must be the sum of the accruals, {total} cents")
    return total


def _payment(context: WriteContext, body: schemas.NewPayment, amount_cents: int) -> PayoutPayment:
    status = body.status or "paid"
    payment = PayoutPayment(
        organization_id=context.organization_id,
        project_id=body.project_id,
        creator_id=body.creator_id,
        payout_method_id=body.payout_method_id,
        amount_cents=amount_cents,
        status=status,
        is_on_account=not body.accrual_ids,
        paid_at=(body.paid_at or business_now(context.session)) if status == "paid" else None,
        reference=body.reference,
    )
    replace_readme(context.session, payment, body.readme)
    context.session.add(payment)
    context.session.flush()
    return payment


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
