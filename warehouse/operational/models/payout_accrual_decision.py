"""Approvals and voids of accruals (money.md M17, M19)."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base
from warehouse.operational.models.conversion import THIS_TRANSACTION
from warehouse.operational.models.payout_accrual_copy import PayoutAccrualCopy


class PayoutAccrualDecision(PayoutAccrualCopy, Base):
    """The last decision on an accrual; null once PATCH `final` has undone it, `note` then stays.

    An approval is of the amount in the copy; a voided adjustment keeps the amount it had.
    `changed_by` is the transaction that wrote the row last, as a conversion's.
    """

    __tablename__ = "payout_accrual_decisions"
    __table_args__ = (
        CheckConstraint("decision in ('approved', 'void')", name="decision"),
        Index("ix_payout_accrual_decisions_changed_by", "organization_id", "changed_by"),
        Index("ix_payout_accrual_decisions_adjusts", "adjusts_accrual_id"),
    )

    accrual_id: Mapped[UUID] = mapped_column(primary_key=True)
    decision: Mapped[str | None]
    note: Mapped[str | None]
    decided_at: Mapped[datetime]
    decided_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    changed_by: Mapped[int] = mapped_column(
        BigInteger, server_default=THIS_TRANSACTION, onupdate=THIS_TRANSACTION
    )
