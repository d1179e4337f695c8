"""Amounts as a CSV file for accountants."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final
from uuid import UUID

from sqlalchemy import select

from serving_api.desk.payouts.content import Amount, with_names
from serving_api.desk.payouts.listing import STATUS_LABELS, Listing
from serving_api.desk.sorting import MOST_IN_FILE, Column, too_many
from serving_api.kit.pagination import among
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals import listing as accrual_lists
from serving_api.resources.payouts.accruals.schemas import Hold
from warehouse.operational.models import PayoutMethod, PayoutPayment


@dataclass(frozen=True, slots=True)
class Transfer:
    """How an amount is paid. `paid_on` is null before it is, then the payment's `day`."""

    day: date | None = None
    paid_on: date | None = None
    method: str | None = None
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """An amount and its transfer."""

    amount: Amount
    transfer: Transfer

    @property
    def hold(self) -> Hold | None:
        return self.amount.accrual.held

    @property
    def status(self) -> str:
        return STATUS_LABELS["on_hold" if self.hold else self.amount.accrual.status]

    @property
    def cents(self) -> int:
        """What the amount adds to a sum: one that is not paid nothing."""
        accrual = self.amount.accrual
        return 0 if accrual.status == "void" else accrual.amount_cents


COLUMNS: Final[tuple[Column[Line], ...]] = (
    Column("creator", None, lambda line: line.amount.creator),
    Column("rule", None, lambda line: line.amount.accrual.structure_name),
    Column("view_count", None, lambda line: line.amount.views),
    Column("post", None, lambda line: line.amount.post),
    Column("period_start", None, lambda line: line.amount.accrual.period_start),
    Column("period_end", None, lambda line: line.amount.accrual.period_end),
    Column("status", None, lambda line: line.status),
    Column("amount_cents", "Amount", lambda line: line.cents),
    Column("paid_on", None, lambda line: line.transfer.paid_on),
    Column("method", None, lambda line: line.transfer.method),
    Column("reference", None, lambda line: line.transfer.reference),
    Column("id", None, lambda line: line.amount.accrual.id),
    Column("per_1000_cents", None, lambda line: line.amount.rate_cents),
    Column("hold_reason", None, lambda line: line.hold.reason if line.hold else None),
    Column("payment_id", None, lambda line: line.amount.accrual.payment_id),
    Column("computed_cents", None, lambda line: line.amount.accrual.amount_cents),
    Column("threshold", None, lambda line: line.amount.accrual.view_count),
    Column("corrects_id", None, lambda line: line.amount.accrual.adjusts_accrual_id),
)


def all_lines(context: RequestContext, listing: Listing) -> list[Line]:
    """Return the amounts of a list's pages. Raises InvalidRequest for more than MOST_IN_FILE."""
    query = listing.query(listing.days)
    rows = accrual_lists.list_latest(context, query, listing.creator_ids, MOST_IN_FILE + 1)
    if len(rows) > MOST_IN_FILE:
        raise too_many("amounts")
    transfers = transfers_of(context, {row.payment_id for row in rows if row.payment_id})
    return [
        Line(amount, transfers.get(amount.accrual.payment_id, Transfer()))
        for amount in with_names(context, rows, accrual_lists.views_of(context, rows))
    ]


def transfers_of(context: RequestContext, payment_ids: set[UUID]) -> Mapping[UUID | None, Transfer]:
    """Return the transfers of payments by id."""
    zone = context.caller.analytics_tz
    statement = (
        select(PayoutPayment, PayoutMethod.name)
        .join(PayoutMethod, PayoutMethod.id == PayoutPayment.payout_method_id)
        .where(
            PayoutPayment.organization_id == context.organization_id,
            among(PayoutPayment.id, payment_ids),
        )
    )
    return {
        row.id: Transfer(day := row.day_in(zone), row.paid_at and day, method, row.reference)
        for row, method in context.session.execute(statement)
    }
