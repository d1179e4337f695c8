"""Reading and making payments; changing them is `changing`'s."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.auth.principals import Principal
from serving_api.errors import Conflict, InvalidBody, InvalidQuery, NotFound
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import read_slice
from serving_api.kit.published import Published
from serving_api.kit.readme import replace_readme
from serving_api.resources.organization.projects import repository as projects
from serving_api.resources.payouts.accruals.standing import Known, accruals_now
from serving_api.resources.payouts.methods import repository as methods
from serving_api.resources.payouts.payments import presenter, repository, schemas
from serving_api.resources.payouts.payments.freezing import freeze, payable
from serving_api.resources.tracking.creators import repository as creators
from warehouse.operational.base import business_now
from warehouse.operational.models import Creator, PayoutPayment
from warehouse.operational.session import WriteSession


def list_payments(
    caller: Principal, session: Session, query: schemas.PaymentQuery
) -> Page[schemas.Payment]:
    """Return a page of payments, newest first. Raises InvalidQuery and InvalidCursor."""
    if query.from_day and query.to_day and query.from_day > query.to_day:
        raise InvalidQuery.at("to", "must not be earlier than from")
    statement = repository.filtered(caller.organization_id, query, caller.analytics_tz)
    keyset = repository.NEWEST_FIRST.of(caller.organization_id)
    found = read_slice(session, statement, keyset, query)
    return found.page(lambda rows: presenter.present(session, caller.organization_id, rows))


def read_payment(caller: Principal, session: Session, payment_id: UUID) -> schemas.PaymentDetail:
    """Return one payment. Raises NotFound."""
    payment = repository.find(session, caller.organization_id, payment_id)
    if payment is None:
        raise NotFound.named("Payout payment")
    return presenter.present_detail(session, payment)


def pay(
    caller: Principal, session: WriteSession, numbers: Published, body: schemas.NewPayment
) -> schemas.PaymentDetail:
    """Record a payment and freeze its accruals (money.md M18).

    Raises NotFound, Conflict for a method out of use, AccrualPaid, AccrualVoid, AccrualOpen, and
    InvalidBody for accruals of another creator or amounts that don't fit.
    """
    projects.require(session, caller.organization_id, body.project_id)
    creator = _creator(caller, session, body)
    _hold_method(caller, session, body.payout_method_id)
    with accruals_now(session, numbers, caller.organization_id) as accruals:
        paid = payable(accruals, creator.id, body.accrual_ids or [])
        payment = _payment(caller, session, body, _amount(body, paid))
        freeze(session, accruals, payment, paid)
    return presenter.present_detail(session, payment)


def _creator(caller: Principal, session: WriteSession, body: schemas.NewPayment) -> Creator:
    """Return the creator, removed or not; payments of one creator come one after the other."""
    creator = creators.lock(session, caller.organization_id, body.creator_id)
    if creator is None or creator.project_id != body.project_id:
        raise NotFound.named("Creator")
    return creator


def _hold_method(caller: Principal, session: WriteSession, method_id: UUID) -> None:
    method = methods.hold(session, caller.organization_id, method_id)
    if method is None:
        raise NotFound.named("Payout method")
    if not method.is_active:
        raise Conflict("The payout method is out of use", reason="inactive_payout_method")


def _amount(body: schemas.NewPayment, paid: Sequence[Known]) -> int:
    """Return what is paid, in cents: what the accruals come to, or what is paid on account."""
    if not body.accrual_ids:
        return body.amount_cents or 0
    total = sum(known.accrual.amount_cents for known in paid)
    if total < 0:
        raise InvalidBody.at("accrual_ids", f"come to {total} cents: nothing could be paid")
    if body.amount_cents not in (None, total):
        raise InvalidBody.at("amount_cents", f"the accruals come to {total} cents")
    return total


def _payment(
    caller: Principal, session: WriteSession, body: schemas.NewPayment, amount_cents: int
) -> PayoutPayment:
    status = body.status or "paid"
    payment = PayoutPayment(
        organization_id=caller.organization_id,
        project_id=body.project_id,
        creator_id=body.creator_id,
        payout_method_id=body.payout_method_id,
        amount_cents=amount_cents,
        status=status,
        is_on_account=not body.accrual_ids,
        paid_at=(body.paid_at or business_now(session)) if status == "paid" else None,
        reference=body.reference,
    )
    replace_readme(session, payment, body.readme)
    session.add(payment)
    session.flush()
    return payment
