"""What creators and members say is wrong about amounts, and what came of it."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified


# Amounts that somebody says are wrong.
class PayoutDispute(Identified, Followed, Base):
    """What is said against an accrual; no amount depends on it.

    `amount_cents` is what the accrual came to when it was disputed, as the days are the ones that
    it was of. `opened_by` is null where the creator itself said so, on its share page. Once it is
    corrected, `correction_cents` is by how much, and `correction_id` the adjustment that does it
    (money.md M19), null where the amount was not paid yet and is simply another one now.
    `adjustments` are the cents of those in force when it was disputed, by number: they correct
    nothing that was said since.
    """

    __tablename__ = "payout_disputes"
    __table_args__ = (
        CheckConstraint("state in ('open', 'answered', 'corrected', 'rejected')", name="state"),
        CheckConstraint("(state = 'open') = (answer is null)", name="answer"),
        CheckConstraint(
            "(state in ('corrected', 'rejected')) = (resolved_at is not null)", name="resolved"
        ),
        CheckConstraint(
            "(state = 'corrected') = (correction_cents is not null)", name="correction"
        ),
        Index(
            "uq_payout_disputes_unresolved",
            "accrual_id",
            unique=True,
            postgresql_where=text("resolved_at is null"),
        ),
        Index("ix_payout_disputes_organization_id_opened_at", "organization_id", "opened_at", "id"),
        Index("ix_payout_disputes_accrual_id", "accrual_id"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    creator_id: Mapped[UUID] = mapped_column(ForeignKey("creators.id"), index=True)
    structure_id: Mapped[UUID] = mapped_column(ForeignKey("payout_structures.id"), index=True)
    accrual_id: Mapped[UUID]
    period_start: Mapped[date]
    period_end: Mapped[date]
    currency: Mapped[str]
    amount_cents: Mapped[int] = mapped_column(BigInteger)
    adjustments: Mapped[dict[str, Any]] = mapped_column(
        JSONB, default=dict, server_default=text("'{}'")
    )
    state: Mapped[str] = mapped_column(default="open", server_default="open")
    reason: Mapped[str]
    opened_at: Mapped[datetime]
    opened_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    due_at: Mapped[datetime]
    answer: Mapped[str | None]
    answered_at: Mapped[datetime | None]
    answered_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    resolved_at: Mapped[datetime | None]
    resolved_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    correction_id: Mapped[UUID | None]
    correction_cents: Mapped[int | None] = mapped_column(BigInteger)
