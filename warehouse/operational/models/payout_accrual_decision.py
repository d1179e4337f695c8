"""Approvals and voids of accruals (money.md M17, M19)."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed
from warehouse.operational.models.payout_accrual_copy import PayoutAccrualCopy


class PayoutAccrualDecision(PayoutAccrualCopy, Followed, Base):
    """The last decision on an accrual; null once PATCH `final` has undone it, `note` then stays.

    An approval is of the amount in the copy; a voided adjustment keeps the amount it had.
    """

    __tablename__ = "payout_accrual_decisions"
    __table_args__ = (
        CheckConstraint("decision in ('approved', 'void')", name="decision"),
        Index("ix_payout_accrual_decisions_adjusts", "adjusts_accrual_id"),
    )

    accrual_id: Mapped[UUID] = mapped_column(primary_key=True)
    decision: Mapped[str | None]
    note: Mapped[str | None]
    decided_at: Mapped[datetime]
    decided_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
