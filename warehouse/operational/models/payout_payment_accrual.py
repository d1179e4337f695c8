"""Which accruals a payment pays, as they were when it froze them (money.md M18)."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Unlogged
from warehouse.operational.models.payout_accrual_copy import PayoutAccrualCopy


class PayoutPaymentAccrual(PayoutAccrualCopy, Unlogged, Followed, Base):
    """A frozen accrual: amount, version and evidence stay whatever is computed later.

    Live while its payment is pending or paid; an accrual is in at most one live payment. A
    payment that is voided or fails releases it (`released_at`), the row stays as history.
    """

    __tablename__ = "payout_payment_accruals"
    __table_args__ = (
        Index(
            "uq_payout_payment_accruals_live",
            "accrual_id",
            unique=True,
            postgresql_where=text("is_live"),
        ),
        Index("ix_payout_payment_accruals_accrual_id", "accrual_id"),
        Index("ix_payout_payment_accruals_adjusts", "adjusts_accrual_id"),
    )

    payment_id: Mapped[UUID] = mapped_column(ForeignKey("payout_payments.id"), primary_key=True)
    accrual_id: Mapped[UUID] = mapped_column(primary_key=True)
    is_live: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    frozen_at: Mapped[datetime]
    released_at: Mapped[datetime | None]
