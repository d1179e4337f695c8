"""Read and create payments; `endpoints` changes them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from uuid import UUID

from sqlalchemy import func

from serving_api.errors import Conflict, InvalidBody, InvalidQuery, NotFound
from serving_api.kit.days import require_order
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import read_slice
from serving_api.kit.readme import readme_version, replace_readme
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import from_row, require_own, require_row
from serving_api.resources.organization import projects
from serving_api.resources.payouts.accruals.current import Known, accruals_now
from serving_api.resources.payouts.methods import service as methods
from serving_api.resources.payouts.payments import repository, schemas
from serving_api.resources.payouts.payments.repository import Candidates, freeze
from serving_api.resources.tracking.creators import repository as creators
from warehouse.operational.base import business_now
from warehouse.operational.models import PayoutPayment
from warehouse.operational.session import WriteSession
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import record

LIVE = frozenset({"pending", "paid"})
"""Statuses of payments that freeze their accruals."""


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


def total_cents(context: RequestContext, query: schemas.PaymentQuery) -> int:
    """Return the sum of all pages, without void and failed payments."""
    statement = repository.filtered(context.organization_id, query, context.caller.analytics_tz)
    live = statement.where(PayoutPayment.status.in_(LIVE))
    return int(
        context.session.scalar(live.with_only_columns(func.sum(PayoutPayment.amount_cents))) or 0
    )


def read_payment(context: RequestContext, payment_id: UUID) -> schemas.PaymentDetail:
    """Return one payment. Raises NotFound."""
    payment = require_own(context, PayoutPayment, payment_id, "Payout payment")
    return present_detail(context, payment)


def pay(
    context: WriteContext, body: schemas.NewPayment, *, approved: bool = False
) -> schemas.PaymentDetail:
    """Record a payment and freeze its accruals (money.md M18). Raises what `paying` raises."""
    with paying(context, [body], approved=approved) as add:
        payment = add(body)
    return present_detail(context, payment)


@contextmanager
def paying(
    context: WriteContext, bodies: Sequence[schemas.NewPayment], *, approved: bool = False
) -> Iterator[Callable[[schemas.NewPayment], PayoutPayment]]:
    """Yield a function that checks one of these payments, and record them at the end.

    Their rows are read and written together, so many payments take as many statements as one. The
    function raises NotFound, Conflict for an inactive method, AccrualPaid, AccrualVoid,
    AccrualOpen, AccrualHeld, and InvalidBody for another creator's accruals or amounts that do not
    match. With `approved`, it raises Conflict for accruals that are not approved.
    """
    session, organization_id = context.session, context.organization_id
    require_project = cache(partial(projects.require, session, organization_id))
    hold_method = cache(partial(methods.hold_active, context))
    # The lock serializes payments of a creator and decisions about its accruals.
    rows = creators.lock(session, organization_id, *(body.creator_id for body in bodies))
    accrual_ids = [each for body in bodies for each in body.accrual_ids or ()]
    paid: dict[PayoutPayment, Sequence[Known]] = {}
    with accruals_now(session, context.marts, organization_id) as accruals:
        candidates = Candidates.find(accruals, accrual_ids)

        def add(body: schemas.NewPayment) -> PayoutPayment:
            require_project(body.project_id)
            creator = require_row(rows.get(body.creator_id), "Creator")
            if creator.project_id != body.project_id:
                raise NotFound.named("Creator")
            hold_method(body.payout_method_id)
            payables = candidates.payable(body.creator_id, body.accrual_ids or ())
            cents = _amount(body, payables)
            if approved and any(known.accrual.status != "approved" for known in payables):
                raise Conflict("An amount is no longer approved, reload the page")
            payment = _payment(context, body, cents)
            paid[payment] = payables
            return payment

        yield add
        session.add_all(paid)
        session.flush()
        freeze(session, accruals, paid)
    notify(session, *paid)


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
        paid_at=(body.paid_at or context.now) if status == "paid" else None,
        reference=body.reference,
    )
    replace_readme(context.session, payment, body.readme)
    return payment


def notify(session: WriteSession, *payments: PayoutPayment) -> None:
    """Record that payments were created or their status changed (money.md M18)."""
    organization_id = payments[0].organization_id
    paid = repository.accrual_ids(session, organization_id, [each.id for each in payments])
    record(session, [_event(session, each, paid.get(each.id, [])) for each in payments])


def _event(session: WriteSession, payment: PayoutPayment, accrual_ids: list[UUID]) -> Event:
    data = {
        "payment_id": str(payment.id),
        "project_id": str(payment.project_id),
        "creator_id": str(payment.creator_id),
        "amount_cents": payment.amount_cents,
        "currency": payment.currency,
        "status": payment.status,
        "accrual_ids": [str(accrual_id) for accrual_id in accrual_ids],
    }
    return Event(
        organization_id=payment.organization_id,
        type="payment.recorded",
        entity_type="payout_payment",
        entity_id=str(payment.id),
        state=payment.status,
        occurred_at=business_now(session),
        data=data,
    )
