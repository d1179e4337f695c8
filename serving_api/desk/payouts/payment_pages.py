"""`/desk/projects/{project_id}/payouts/payments`: recorded payments, and voiding one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID

from fastapi import Request, Response
from pydantic import Field

from serving_api.desk.choices import creators_named, names_of
from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import FormQuery, body_of, chosen_in, search_of
from serving_api.desk.once import AdminWriter, Reader
from serving_api.desk.payouts.content import sums_of, with_names
from serving_api.desk.payouts.files import Transfer, transfers_of
from serving_api.desk.payouts.listing import ON_A_PAGE, listing_of
from serving_api.desk.payouts.listing import View as AmountsView
from serving_api.desk.payouts.routes import PAYOUTS, payouts_page
from serving_api.desk.payouts.voiding import Voiding, void, void_all
from serving_api.desk.periods import PeriodSent, period_of
from serving_api.desk.routes import views
from serving_api.desk.sorting import Column, SortedTable, page_or_file, too_many
from serving_api.errors import NotFound
from serving_api.files.signed_urls import Files
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Params
from serving_api.resources.payouts.accruals import listing
from serving_api.resources.payouts.history import history_of_payment, live_payments_of_run
from serving_api.resources.payouts.methods import service as methods
from serving_api.resources.payouts.methods.schemas import PayoutMethodQuery
from serving_api.resources.payouts.payments import service
from serving_api.resources.payouts.payments.schemas import (
    FilteredPayments,
    Payment,
    PaymentDetail,
    PaymentStatus,
)

PAYMENTS = f"{PAYOUTS}/payments"
ONE = f"{PAYMENTS}/{{payment_id}}"
OF_RUN = "void_run"
"""The button that voids the payments of a run, whose ids are its value."""


@dataclass(frozen=True, slots=True)
class Row:
    """A payment, its creator's name and its transfer."""

    payment: Payment
    creator: str
    transfer: Transfer

    @property
    def cents(self) -> int:
        """What the payment adds to a sum: a void or failed one nothing."""
        return self.payment.amount_cents if self.payment.status in service.LIVE else 0


COLUMNS: Final[tuple[Column[Row], ...]] = (
    Column("paid_on", None, lambda row: row.transfer.paid_on),
    Column("creator", None, lambda row: row.creator),
    Column("method", None, lambda row: row.transfer.method),
    Column("amount_cents", None, lambda row: row.cents),
    Column("reference", None, lambda row: row.payment.reference),
    Column("status", None, lambda row: row.payment.status),
    Column("id", None, lambda row: row.payment.id),
    Column("recorded_cents", None, lambda row: row.payment.amount_cents),
    Column("notes", None, lambda row: row.payment.readme),
)


class View(FormQuery):
    """The query parameters beside the period."""

    creator: str = Field(default="", max_length=200)
    method: UUID | None = None
    status: PaymentStatus | None = None
    cursor: str | None = None

    @property
    def filters(self) -> dict[str, str]:
        """The filters that are set."""
        return self.model_dump(mode="json", exclude_defaults=True, exclude={"cursor"})


router = desk_router()


@router.get(PAYMENTS, dependencies=[views])
def show_payments(
    request: Request, context: Reader, project_id: UUID, sent: PeriodSent, view: Params[View]
) -> Response:
    """Show a project's payments, the newest first, and their total."""
    period = period_of(context, sent, all_history=True)
    dates = {} if period.rejected.wrong else sent.address
    span = period.span if dates else {}
    search = search_of(view.creator)
    query = FilteredPayments(
        project_id=project_id,
        status=view.status,
        payout_method_id=view.method,
        creator_ids=creators_named(context, project_id, search) if search else None,
        limit=ON_A_PAGE,
        **span,
    )
    # The file has all pages.
    cursor = {} if sent.format == "csv" else {"cursor": view.cursor}
    page = service.list_payments(context, page_or_file(request, query).model_copy(update=cursor))
    table = SortedTable(request, COLUMNS, _rows(context, page.data))
    if table.is_file:
        if page.meta.hasMore:
            raise too_many("payments")
        return table.file("payments")
    ways = PayoutMethodQuery(include_disabled=context.caller.is_org_admin)
    return payouts_page(
        request,
        context,
        "desk_payments.html",
        sums=sums_of(context, listing_of(context, project_id, AmountsView(), sent)),
        table=table,
        total=service.total_cents(context, query),
        methods={str(way.id): way.name for way in methods.list_methods(context, ways).data},
        period=period,
        dates=dates,
        filters=view.filters,
        cursor=page.meta.nextCursor,
        is_first=view.cursor is None,
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
    """Void a payment, or those of its run; the reason is added to their notes."""
    payment = _payment_in(context, project_id, payment_id)
    show_again(request, fields, ("reason",), partial(_one, request, context, payment))
    reason = body_of(Voiding, reason=fields.get("reason", "")).reason
    if OF_RUN in fields:
        payments = _chosen(context, project_id, fields, OF_RUN)
        return redirect(request.url.path, void_all(context, payments, reason, files=files))
    return redirect(request.url.path, void(context, payment, reason, files=files))


@router.post(PAYMENTS, dependencies=[views])
def undo_payments(
    request: Request, context: AdminWriter, files: Files, project_id: UUID, fields: OwnFields
) -> Response:
    """Void the payments that were just recorded, all or none."""
    why = "Undone right after it was recorded"
    payments = _chosen(context, project_id, fields, "void")
    return redirect(request.url.path, void_all(context, payments, why, files=files))


def _chosen(
    context: RequestContext, project_id: UUID, fields: Mapping[str, str], button: str
) -> list[PaymentDetail]:
    _, chosen = chosen_in(fields, (button,))
    return [_payment_in(context, project_id, payment_id) for payment_id in chosen]


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
    history = history_of_payment(context, payment.id)
    run = live_payments_of_run(context, payment.id)
    return payouts_page(
        request,
        context,
        "desk_payment.html",
        row=row,
        amounts=amounts,
        entered=entered,
        history_steps=history,
        run=run,
    )
