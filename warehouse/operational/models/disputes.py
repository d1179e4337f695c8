"""Disputes of amounts, and their resolutions."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified


class PayoutDispute(Identified, Followed, Base):
    """A dispute of an accrual. No amount depends on it.

    `amount_cents` and the days are the accrual's when it was disputed. `opened_by` is null if the
    creator opened it on their share page. Once corrected, `correction_cents` is the difference and
    `correction_id` the adjustment (money.md M19), null if the amount was unpaid and simply changed.
    `adjustments` are the cents of adjustments at the time, by number; they do not count as the
    correction.
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
