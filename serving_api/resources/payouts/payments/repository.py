"""Rows of payments, and the copies of accruals that they store (money.md M18).

Every statement names the organization.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Self
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, insert, not_, select, update
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import Session

from serving_api.errors import (
    AccrualHeld,
    AccrualOpen,
    AccrualPaid,
    AccrualVoid,
    InvalidBody,
    NotFound,
)
from serving_api.kit.pagination import Keyset, among
from serving_api.kit.rows import rows_of
from serving_api.resources.payouts.accruals.changes import with_reason
from serving_api.resources.payouts.accruals.current import Accruals, Known
from serving_api.resources.payouts.accruals.evidence import evidence_for
from serving_api.resources.payouts.accruals.holds import Odd, odd_behind
from serving_api.resources.payouts.accruals.replacing import Replacement, replacements
from serving_api.resources.payouts.payments.schemas import FilteredPayments, PaymentQuery
from serving_api.resources.payouts.structures.repository import hold_zones
from warehouse.operational.base import business_now
from warehouse.operational.models import PayoutPayment, PayoutPaymentAccrual
from warehouse.operational.session import WriteSession
from warehouse.reading.accruals.accrual import CONTENT, Accrual
from warehouse.zones import start_of

NEWEST_FIRST = Keyset(PayoutPayment.created_at, PayoutPayment.id, "payout-payments")


def dated_since(day: date, zone: str) -> ColumnElement[bool]:
    """Say whether payments are of `day` or later; those without a stored day are in `zone`."""
    dated_at = func.coalesce(PayoutPayment.paid_at, PayoutPayment.created_at)
    return func.coalesce(PayoutPayment.dated_on >= day, dated_at >= start_of(day, zone))


def filtered(organization_id: UUID, query: PaymentQuery, zone: str) -> Select[PayoutPayment]:
    """Select the payments that match the filters; days are those of `dated_since`."""
    statement = rows_of(PayoutPayment, organization_id)
    for name in ("project_id", "creator_id", "status", "payout_method_id"):
        if (value := getattr(query, name, None)) is not None:
            statement = statement.where(getattr(PayoutPayment, name) == value)
    if isinstance(query, FilteredPayments) and query.creator_ids is not None:
        statement = statement.where(among(PayoutPayment.creator_id, query.creator_ids))
    if query.from_day is not None:
        statement = statement.where(dated_since(query.from_day, zone))
    if query.to_day is not None:
        statement = statement.where(not_(dated_since(query.to_day + timedelta(days=1), zone)))
    if query.updated_since is not None:
        statement = statement.where(PayoutPayment.updated_at >= query.updated_since)
    return statement


def accrual_ids(
    session: Session, organization_id: UUID, payment_ids: Collection[UUID]
) -> Mapping[UUID, list[UUID]]:
    """Return the accruals of payments, including released ones, earliest period first."""
    if not payment_ids:
        return {}
    in_order = aggregate_order_by(
        PayoutPaymentAccrual.accrual_id,
        PayoutPaymentAccrual.period_end,
        PayoutPaymentAccrual.accrual_id,
    )
    listed = (
        select(PayoutPaymentAccrual.payment_id, func.array_agg(in_order).label("ids"))
        .where(
            PayoutPaymentAccrual.organization_id == organization_id,
            among(PayoutPaymentAccrual.payment_id, payment_ids),
        )
        .group_by(PayoutPaymentAccrual.payment_id)
    )
    return {row.payment_id: row.ids for row in session.execute(listed)}


def paid_by_creator(
    session: Session, organization_id: UUID, creator_ids: Collection[UUID]
) -> Mapping[UUID, int]:
    """Return the cents paid by creator; creators without payments are left out (money.md M18)."""
    paid = (
        select(PayoutPayment.creator_id, func.sum(PayoutPayment.amount_cents).label("cents"))
        .where(
            PayoutPayment.organization_id == organization_id,
            among(PayoutPayment.creator_id, creator_ids),
            PayoutPayment.status == "paid",
        )
        .group_by(PayoutPayment.creator_id)
    )
    return {row.creator_id: int(row.cents) for row in session.execute(paid)}


def frozen_cents(session: Session, payment: PayoutPayment) -> int:
    total = select(func.coalesce(func.sum(PayoutPaymentAccrual.amount_cents), 0)).where(
        PayoutPaymentAccrual.organization_id == payment.organization_id,
        PayoutPaymentAccrual.payment_id == payment.id,
    )
    return int(session.scalars(total).one())


def release(session: WriteSession, payment: PayoutPayment, at: datetime) -> None:
    """Release a payment's accruals. Their copies stay as history."""
    session.execute(
        update(PayoutPaymentAccrual)
        .where(
            PayoutPaymentAccrual.organization_id == payment.organization_id,
            PayoutPaymentAccrual.payment_id == payment.id,
        )
        .values(is_live=False, released_at=at)
    )


@dataclass(frozen=True, slots=True)
class Candidates:
    """Accruals that payments name, what holds them and what replaces them, read together."""

    known: Mapping[UUID, Known]
    odd: Odd
    replaced: Mapping[UUID, Replacement]

    @classmethod
    def find(cls, accruals: Accruals, accrual_ids: Collection[UUID]) -> Self:
        known = accruals.find(accrual_ids)
        listed = [state.accrual for state in known.values()]
        return cls(known, odd_behind(accruals, listed), replacements(accruals, listed))

    def payable(self, creator_id: UUID, accrual_ids: Sequence[UUID]) -> Sequence[Known]:
        """Return the accruals with these ids if all can be paid to the creator.

        Raises NotFound, InvalidBody for another creator's accruals, AccrualPaid, AccrualVoid,
        AccrualOpen, AccrualHeld, and Conflict for those that another one replaces. The errors name
        the accruals.
        """
        absent = [str(accrual_id) for accrual_id in accrual_ids if accrual_id not in self.known]
        if absent:
            raise NotFound("Accruals not found", accrual_ids=[*absent])
        payables = [self.known[accrual_id] for accrual_id in accrual_ids]
        _require_of(creator_id, [state.accrual for state in payables])
        _require_payable([state.accrual for state in payables])
        if held := [accrual_id for accrual_id in accrual_ids if accrual_id in self.odd]:
            raise AccrualHeld(held)
        for accrual_id in self.replaced.keys() & set(accrual_ids):
            raise self.replaced[accrual_id].refusal()
        return payables


def freeze(
    session: WriteSession,
    accruals: Accruals,
    paid: Mapping[PayoutPayment, Collection[Known]],
) -> None:
    """Store the accruals of payments as they are now."""
    frozen = [known.accrual for by_payment in paid.values() for known in by_payment]
    zones = {accrual.structure_id: accrual.timezone for accrual in frozen}
    hold_zones(session, accruals.organization_id, zones)
    evidence, frozen_at = evidence_for(accruals, frozen), business_now(session)
    copies = [
        {
            **{name: getattr(copied, name) for name in CONTENT},
            "payment_id": payment.id,
            "accrual_id": copied.accrual_id,
            "frozen_at": frozen_at,
            "evidence": evidence[copied.accrual_id],
        }
        for payment, by_payment in paid.items()
        for copied in (
            with_reason(known.accrual, evidence[known.accrual.accrual_id]) for known in by_payment
        )
    ]
    if copies:
        session.execute(insert(PayoutPaymentAccrual), copies)


def _require_of(creator_id: UUID, accruals: Collection[Accrual]) -> None:
    others = [str(accrual.accrual_id) for accrual in accruals if accrual.creator_id != creator_id]
    if others:
        raise InvalidBody.at("accrual_ids", f"belong to another creator: {', '.join(others)}")


def _require_payable(accruals: Collection[Accrual]) -> None:
    in_payments = [accrual.accrual_id for accrual in accruals if accrual.payment_id is not None]
    if in_payments:
        raise AccrualPaid(in_payments)
    for status, refusal in (
        ("void", AccrualVoid),
        ("open", AccrualOpen),
        ("settling", AccrualOpen),
    ):
        named = [accrual.accrual_id for accrual in accruals if accrual.status == status]
        if named:
            raise refusal(named)
