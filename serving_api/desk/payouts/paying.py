"""`/desk/projects/{project_id}/payouts/creators/{creator_id}`: recording a payment."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import SELECTED, body_of, cents_in, chosen_in, day_in, text_of
from serving_api.desk.once import AdminReader, AdminWriter
from serving_api.desk.payouts.content import Amount, with_names
from serving_api.desk.payouts.payment_pages import PAYMENTS
from serving_api.desk.payouts.routes import PAYOUTS, payouts_page
from serving_api.desk.routes import views
from serving_api.errors import InvalidBody, InvalidRequest, NotFound
from serving_api.kit.days import today_in
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts import accounts as payout_accounts
from serving_api.resources.payouts.accruals import listing
from serving_api.resources.payouts.accruals.schemas import AccrualQuery
from serving_api.resources.payouts.accruals.summary import page_dollars
from serving_api.resources.payouts.methods import service as methods
from serving_api.resources.payouts.methods.schemas import PayoutMethod, PayoutMethodQuery
from serving_api.resources.payouts.payments import service as payments
from serving_api.resources.payouts.payments.schemas import NewPayment, PaymentQuery
from warehouse.zones import start_of

DAY = "paid_on"
ENTERED = ("payout_method_id", "reference", DAY)
PAY = f"{PAYOUTS}/creators/{{creator_id}}"
RUN = f"{PAYOUTS}/run"
MOST_PAID_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Payable:
    """A creator's approved amounts in no payment, payout methods, and the method to preselect."""

    creator_id: UUID
    creator: str
    amounts: Sequence[Amount]
    has_more: bool
    methods: Sequence[PayoutMethod]
    method: str
    has_details: bool


def payable(context: RequestContext, project_id: UUID, creator_id: UUID) -> Payable:
    """Return the amounts to pay to a creator. Raises NotFound if there are none."""
    query = AccrualQuery(
        project_id=project_id, creator_id=creator_id, status="approved", held=False
    )
    unpaid, has_more = listing.list_unpaid(context, query, MOST_PAID_AT_ONCE)
    amounts = with_names(context, unpaid)
    if not amounts:
        raise NotFound("This creator has no approved amounts to pay")
    ways = methods.list_methods(context, PayoutMethodQuery()).data
    account = payout_accounts.find(context.session, context.organization_id, creator_id)
    ids = [str(way.id) for way in ways]
    own = str(account.payout_method_id) if account else ""
    method = own if own in ids else default_method(context, project_id, ids)
    has_details = account is not None
    return Payable(creator_id, amounts[0].creator, amounts, has_more, ways, method, has_details)


def default_method(context: RequestContext, project_id: UUID, ids: Sequence[str]) -> str:
    """Return the method of the project's latest payment, or the only one, "" without these."""
    latest = payments.list_payments(context, PaymentQuery(project_id=project_id, limit=1)).data
    used = [str(payment.payout_method_id) for payment in latest]
    return next((method for method in used if method in ids), ids[0] if len(ids) == 1 else "")


router = desk_router()


@router.get(PAY, dependencies=[views])
def show_payment(
    request: Request, context: AdminReader, project_id: UUID, creator_id: UUID
) -> Response:
    """Show a creator's approved, unpaid amounts and the form that records a payment."""
    return _page(request, context, payable(context, project_id, creator_id), NOTHING)


@router.post(PAY, dependencies=[views])
def record_payment(
    request: Request, context: AdminWriter, project_id: UUID, creator_id: UUID, fields: OwnFields
) -> Response:
    """Record a payment of the amounts on the page if their total is unchanged."""
    with suppress(NotFound):  # then the payment's own error says why
        payable_amounts = payable(context, project_id, creator_id)
        show_again(request, fields, ENTERED, partial(_page, request, context, payable_amounts))
    body = body_of(
        NewPayment,
        creator_id=creator_id,
        project_id=project_id,
        payout_method_id=fields.get("payout_method_id"),
        **_amounts_in(fields),
        paid_at=paid_at_in(context, fields),
        reference=text_of(fields.get("reference", "")),
    )
    payment = payments.pay(context, body, approved=True)
    words = f"1 payment recorded, {page_dollars(payment.amount_cents)}."
    return redirect(PAYMENTS.format(project_id=project_id), words, "void", [payment.id])


def _amounts_in(fields: Mapping[str, str]) -> dict[str, object]:
    """Return the amounts to pay and the total that the page showed. Raises InvalidRequest."""
    if "no_button" in fields:
        raise InvalidRequest("Press a button to record the payment")
    if SELECTED not in fields:
        if any(name.startswith(f"{SELECTED}.") for name in fields):  # for example, by the Enter key
            raise InvalidRequest("Press “Record selected amounts only”, or clear the selection")
        ids = fields.get("accrual_ids", "").split(",")
        return {"accrual_ids": ids, "amount_cents": cents_in(fields, "amount_cents")}
    _, chosen = chosen_in(fields, (SELECTED,))
    cents = [cents_in(fields, f"cents-{accrual_id}") for accrual_id in chosen]
    if not all(isinstance(amount, int) for amount in cents):
        raise InvalidRequest("Choose items on this page")
    return {"accrual_ids": chosen, "amount_cents": sum(map(int, cents))}


def paid_at_in(context: RequestContext, fields: Mapping[str, str]) -> str | None:
    """Return the payment time, None for now. Raises InvalidBody."""
    day = day_in(fields, DAY)
    zone, now = context.caller.analytics_tz, context.now
    if day is None or day == today_in(zone, now):
        return None
    if day > today_in(zone, now):
        raise InvalidBody.at(DAY, "Enter today or an earlier date")
    return start_of(day, zone).isoformat()


def _page(
    request: Request, context: RequestContext, payable_amounts: Payable, entered: Entered
) -> Response:
    values = {"content": payable_amounts, "entered": entered}
    return payouts_page(request, context, "desk_pay.html", **values)
