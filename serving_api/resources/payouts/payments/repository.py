"""SQL of payments. Every statement names the organization."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Select, func, insert, select, update
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import Session

from serving_api.kit.filters import among
from serving_api.kit.pagination import Keyset
from serving_api.kit.rows import rows_of
from serving_api.resources.payouts.payments.schemas import PaymentQuery
from warehouse.operational.models import PayoutPayment, PayoutPaymentAccrual
from warehouse.operational.session import WriteSession
from warehouse.zones import start_of

NEWEST_FIRST = Keyset(PayoutPayment.created_at, PayoutPayment.id, "payout-payments")

ONE_DAY = timedelta(days=1)
_DATED = func.coalesce(PayoutPayment.paid_at, PayoutPayment.created_at)


def filtered(organization_id: UUID, query: PaymentQuery, zone: str) -> Select[PayoutPayment]:
    """Select the payments that match the filters; days are in this timezone."""
    statement = rows_of(PayoutPayment, organization_id)
    for name in ("project_id", "creator_id", "status"):
        if (value := getattr(query, name)) is not None:
            statement = statement.where(getattr(PayoutPayment, name) == value)
    if query.from_day is not None:
        statement = statement.where(start_of(query.from_day, zone) <= _DATED)
    if query.to_day is not None:
        statement = statement.where(start_of(query.to_day + ONE_DAY, zone) > _DATED)
    return statement


def lock(session: WriteSession, organization_id: UUID, payment_id: UUID) -> PayoutPayment:
    """Return an existing payment, reloaded and locked for update."""
    return session.scalars(
        rows_of(PayoutPayment, organization_id, payment_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one()


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


def freeze(session: WriteSession, copies: Sequence[Mapping[str, Any]]) -> None:
    if copies:
        session.execute(insert(PayoutPaymentAccrual), copies)


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
