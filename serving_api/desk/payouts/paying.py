"""`/desk/projects/{project_id}/payouts/creators/{creator_id}`: recording a payment."""

from contextlib import suppress
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from serving_api.auth.dependencies import reads
from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import SEE_OTHER, Entry, OwnFields, desk_router
from serving_api.desk.forms import body_of, cents_in, text_of
from serving_api.desk.payouts.content import Payable, payable
from serving_api.desk.payouts.routes import PAYOUTS, AdminWriter, payouts_page
from serving_api.desk.routes import views
from serving_api.errors import NotFound
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.payments import service as payments
from serving_api.resources.payouts.payments.schemas import NewPayment

ENTERED = ("payout_method_id", "reference")
PAY = f"{PAYOUTS}/creators/{{creator_id}}"

AdminReader = Annotated[RequestContext, reads(Entry("read", org_admin=True))]

router = desk_router()


@router.get(PAY, dependencies=[views])
def show_payment(
    request: Request,
    context: AdminReader,
    project_id: UUID,
    creator_id: UUID,
) -> Response:
    """Show what of a creator is approved and not paid, and the form that records a payment."""
    return _page(request, context, payable(context, project_id, creator_id), NOTHING)


@router.post(PAY, dependencies=[views])
def record_payment(
    request: Request, context: AdminWriter, project_id: UUID, creator_id: UUID, fields: OwnFields
) -> Response:
    """Record a payment of the amounts that the page showed, if they still come to what it said."""
    with suppress(NotFound):  # where nothing is left to pay, the payment's own refusal says why
        shown = payable(context, project_id, creator_id)
        show_again(request, fields, ENTERED, partial(_page, request, context, shown))
    body = body_of(
        NewPayment,
        creator_id=creator_id,
        project_id=project_id,
        payout_method_id=fields.get("payout_method_id"),
        accrual_ids=fields.get("accrual_ids", "").split(","),
        amount_cents=cents_in(fields, "amount_cents"),
        reference=text_of(fields.get("reference", "")),
    )
    payments.pay(context, body)
    return RedirectResponse(f"{PAYOUTS.format(project_id=project_id)}?status=paid", SEE_OTHER)


def _page(request: Request, context: RequestContext, shown: Payable, entered: Entered) -> Response:
    values = {"shown": shown, "entered": entered, "status": entered.status}
    return payouts_page(request, context, "desk_pay.html", **values)
