"""Budgets of payouts."""

from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, Integer
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Timestamped


class PayoutBudget(Identified, Timestamped, Followed, Base):
    """A budget in cents per month of the organization's zone, or for all time if `period` is null.

    It covers its campaign or structure, else the project. `thresholds` are percentages, distinct
    and ascending. No amount depends on a budget.
    """

    __tablename__ = "payout_budgets"
    __table_args__ = (
        CheckConstraint("amount_cents > 0", name="amount_cents"),
        CheckConstraint("period = 'monthly'", name="period"),
        CheckConstraint("on_exceeded in ('warn', 'stop_assignments')", name="on_exceeded"),
        CheckConstraint("campaign_id is null or structure_id is null", name="scope"),
        Index(
            "ix_payout_budgets_organization_id_created_at", "organization_id", "created_at", "id"
        ),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    campaign_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("campaigns.id", ondelete="CASCADE"), index=True
    )
    structure_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("payout_structures.id", ondelete="CASCADE"), index=True
    )
    name: Mapped[str]
    amount_cents: Mapped[int] = mapped_column(BigInteger)
    period: Mapped[str | None]
    thresholds: Mapped[list[int]] = mapped_column(ARRAY(Integer))
    on_exceeded: Mapped[str]
