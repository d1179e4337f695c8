"""`/desk/projects/{project_id}/payouts/payments`: recorded payments, and voiding one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID

from fastapi import Request, Response
from pydantic import BaseModel

from serving_api.desk.choices import names_of
from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of
from serving_api.desk.once import AdminWriter, Reader
from serving_api.desk.payouts.content import sums_of, with_names
from serving_api.desk.payouts.files import Transfer, transfers_of
from serving_api.desk.payouts.listing import ON_A_PAGE, View, listing_of
from serving_api.desk.payouts.routes import PAYOUTS, payouts_page
from serving_api.desk.periods import PeriodSent, period_of
from serving_api.desk.routes import views
from serving_api.desk.sorting import Column, SortedTable, page_or_file, too_many
from serving_api.errors import Conflict, NotFound
from serving_api.files.signed_urls import Files
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Body, Params, Remark
from serving_api.resources.payouts.accruals import listing
from serving_api.resources.payouts.accruals.summary import page_dollars
from serving_api.resources.payouts.payments import endpoints, service
from serving_api.resources.payouts.payments.schemas import (
    Payment,
    PaymentChanges,
    PaymentDetail,
    PaymentQuery,
)

PAYMENTS = f"{PAYOUTS}/payments"
ONE = f"{PAYMENTS}/{{payment_id}}"


@dataclass(frozen=True, slots=True)
class Row:
    """A payment, its creator's name and its transfer."""

    payment: Payment
    creator: str
    transfer: Transfer


COLUMNS: Final[tuple[Column[Row], ...]] = (
    Column("paid_on", None, lambda row: row.transfer.day),
    Column("creator", None, lambda row: row.creator),
    Column("method", None, lambda row: row.transfer.method),
    Column("amount_cents", None, lambda row: row.payment.amount_cents),
    Column("reference", None, lambda row: row.payment.reference),
    Column("status", None, lambda row: row.payment.status),
    Column("id", None, lambda row: row.payment.id),
)


class Voiding(Body):
    """Why a payment is void."""

    reason: Remark


class Address(BaseModel):
    """The page's query parameters beside its period."""

    cursor: str | None = None


router = desk_router()


@router.get(PAYMENTS, dependencies=[views])
def show_payments(
    request: Request, context: Reader, project_id: UUID, sent: PeriodSent, address: Params[Address]
) -> Response:
    """Show a project's payments, the newest first, in a period if the query names one."""
    period = period_of(context, sent, all_history=True)
    dates = {} if period.rejected.wrong else sent.address
    span = period.span if dates else {}
    query = PaymentQuery.model_validate({"project_id": project_id, "limit": ON_A_PAGE, **span})
    # The file has all pages.
    cursor = {} if sent.format == "csv" else {"cursor": address.cursor}
    page = service.list_payments(context, page_or_file(request, query).model_copy(update=cursor))
    table = SortedTable(request, COLUMNS, _rows(context, page.data))
    if table.is_file:
        if page.meta.hasMore:
            raise too_many("payments")
        return table.file("payments")
    return payouts_page(
        request,
        context,
        "desk_payments.html",
        sums=sums_of(context, listing_of(context, project_id, View(), sent)),
        table=table,
        period=period,
        dates=dates,
        cursor=page.meta.nextCursor,
        is_first=address.cursor is None,
    )


@router.get(ONE, dependencies=[views])
def show_payment(request: Request, context: Reader, project_id: UUID, payment_id: UUID) -> Response:
    """Show a payment with its amounts."""
    payment = _payment_in(context, project_id, payment_id)
    return _one(request, context, payment, NOTHING)


@router.post(ONE, dependencies=[views])
def void_payment(
    *,
    request: Request,
    context: AdminWriter,
    files: Files,
    project_id: UUID,
    payment_id: UUID,
    fields: OwnFields,
) -> Response:
    """Void a payment; the reason is added to its notes."""
    payment = _payment_in(context, project_id, payment_id)
    show_again(request, fields, ("reason",), partial(_one, request, context, payment))
    if payment.status == "void":
        raise Conflict("This payment is already void")
    reason = f"Void: {body_of(Voiding, reason=fields.get('reason', '')).reason}"
    changes = body_of(
        PaymentChanges,
        status="void",
        readme=f"{payment.readme}\n\n{reason}" if payment.readme else reason,
        expected_readme_version=payment.readme_version,
    )
    endpoints.change(context, payment_id, changes, files=files)
    words = (
        f"Payment of {page_dollars(payment.amount_cents)} is void. Its amounts can be paid again."
    )
    return redirect(request.url.path, words)


def _payment_in(context: RequestContext, project_id: UUID, payment_id: UUID) -> PaymentDetail:
    payment = service.read_payment(context, payment_id)
    if payment.project_id != project_id:
        raise NotFound.named("Payout payment")
    return payment


def _rows(context: RequestContext, payments: Sequence[Payment]) -> list[Row]:
    names = names_of(context, {payment.creator_id for payment in payments})
    transfers = transfers_of(context, {payment.id for payment in payments})
    return [Row(payment, names[payment.creator_id], transfers[payment.id]) for payment in payments]


def _one(
    request: Request, context: RequestContext, payment: PaymentDetail, entered: Entered
) -> Response:
    [row] = _rows(context, [payment])
    amounts = with_names(context, listing.list_by_id(context, payment.accrual_ids))
    values = {"row": row, "amounts": amounts, "entered": entered}
    return payouts_page(request, context, "desk_payment.html", **values)
