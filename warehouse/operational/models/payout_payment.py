"""What creators were paid."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Noted, Timestamped


class PayoutPayment(Identified, Noted, Timestamped, Followed, Base):
    """A payment, in cents (money.md M18). Its accruals are PayoutPaymentAccrual's.

    `is_on_account`: made for an amount, whose accruals may come later.
    """

    __tablename__ = "payout_payments"
    __table_args__ = (
        CheckConstraint("status in ('pending', 'paid', 'failed', 'void')", name="status"),
        CheckConstraint("amount_cents >= 0", name="amount_cents"),
        Index(
            "ix_payout_payments_organization_id_created_at", "organization_id", "created_at", "id"
        ),
        Index("ix_payout_payments_creator_id_created_at", "creator_id", "created_at", "id"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    creator_id: Mapped[UUID] = mapped_column(ForeignKey("creators.id"))
    payout_method_id: Mapped[UUID] = mapped_column(ForeignKey("payout_methods.id"), index=True)
    amount_cents: Mapped[int] = mapped_column(BigInteger)
    currency: Mapped[str] = mapped_column(default="USD", server_default="USD")
    status: Mapped[str]
    is_on_account: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    paid_at: Mapped[datetime | None]
    reference: Mapped[str | None]
    receipt_path: Mapped[str | None]
