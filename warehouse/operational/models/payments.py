"""Decisions on accruals and payments, with copies of the accruals, and disputes of amounts."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, Numeric, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Noted, Timestamped, Unlogged


class PayoutAccrualCopy:
    """An accrual's fields at the time of a decision (contract decisions, Payouts: Accrual).

    `subject_id` is the video of a view threshold (with its `view_count`) or the conversion of
    every_conversion. For an adjustment, `adjusts_accrual_id` is the corrected accrual,
    `adjustment_number` its n (money.md M19), and `booked_in` the first day of the period in which
    it is booked.
    """

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"))
    structure_id: Mapped[UUID] = mapped_column(ForeignKey("payout_structures.id"), index=True)
    creator_id: Mapped[UUID] = mapped_column(ForeignKey("creators.id"), index=True)
    version_id: Mapped[UUID]
    version_number: Mapped[int]
    criteria_type: Mapped[str]
    period_start: Mapped[date]
    period_end: Mapped[date]
    subject_id: Mapped[UUID | None]
    view_count: Mapped[int | None] = mapped_column(BigInteger)
    post_count: Mapped[int | None] = mapped_column(BigInteger)
    kind: Mapped[str]
    adjusts_accrual_id: Mapped[UUID | None]
    adjustment_number: Mapped[int | None]
    booked_in: Mapped[date | None]
    currency: Mapped[str]
    amount_cents: Mapped[int] = mapped_column(BigInteger)
    precise_amount: Mapped[Decimal] = mapped_column(Numeric(38, 9))
    limited_by: Mapped[str | None]
    timezone: Mapped[str]
    reason: Mapped[str | None]
    evidence: Mapped[dict[str, Any]] = mapped_column(JSONB)
    computed_at: Mapped[datetime]


class PayoutAccrualDecision(PayoutAccrualCopy, Followed, Base):
    """The last decision on an accrual (money.md M17, M19).

    Null once PATCH `final` has undone it; `note` then stays. An approval is of the copied amount;
    a voided adjustment keeps its amount.
    """

    __tablename__ = "payout_accrual_decisions"
    __table_args__ = (
        CheckConstraint("decision in ('approved', 'void')", name="decision"),
        Index("ix_payout_accrual_decisions_adjusts", "adjusts_accrual_id"),
        Index(
            "ix_payout_accrual_decisions_approved",
            "project_id",
            "decided_at",
            postgresql_where=text("decision = 'approved'"),
        ),
    )

    accrual_id: Mapped[UUID] = mapped_column(primary_key=True)
    decision: Mapped[str | None]
    note: Mapped[str | None]
    decided_at: Mapped[datetime]
    decided_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))


class PayoutPayment(Identified, Noted, Timestamped, Followed, Base):
    """A payment to a creator in cents (money.md M18). Its accruals are PayoutPaymentAccrual rows.

    `is_on_account`: made for an amount whose accruals may come later. A trigger sets `dated_on`.
    """

    __tablename__ = "payout_payments"
    __table_args__ = (
        CheckConstraint("status in ('pending', 'paid', 'failed', 'void')", name="status"),
        CheckConstraint("amount_cents >= 0", name="amount_cents"),
        Index(
            "ix_payout_payments_organization_id_created_at", "organization_id", "created_at", "id"
        ),
        Index("ix_payout_payments_creator_id_created_at", "creator_id", "created_at", "id"),
        Index("ix_payout_payments_updated", "organization_id", "updated_at"),
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
    dated_on: Mapped[date | None]
    reference: Mapped[str | None]
    receipt_path: Mapped[str | None]

    def day_in(self, zone: str) -> date:
        """Return its day: in `zone` unless it is recorded, as versions before 0082 did not."""
        at = self.paid_at or self.created_at
        return self.dated_on or at.astimezone(ZoneInfo(zone)).date()


class PayoutPaymentAccrual(PayoutAccrualCopy, Unlogged, Followed, Base):
    """An accrual frozen by a payment (money.md M18): amount, version and evidence never change.

    Live while its payment is pending or paid. An accrual is in at most one live payment. A voided
    or failed payment releases it (`released_at`); the row stays as history.
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


class PayoutManualHold(Identified, Base):
    """An accrual and its adjustments that a member put on hold, written once.

    A PayoutHoldRelease with its id as `anomaly_id` ends it.
    """

    __tablename__ = "payout_manual_holds"

    accrual_id: Mapped[UUID] = mapped_column(index=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    reason: Mapped[str]
    created_at: Mapped[datetime]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))


class PayoutHoldRelease(Followed, Base):
    """An anomaly or manual hold that no longer holds an accrual and its adjustments, written once.

    `anomaly_id` is of marts.reading_anomalies or PayoutManualHold. An anomaly of another reading or
    kind has another id, and holds again.
    """

    __tablename__ = "payout_hold_releases"

    accrual_id: Mapped[UUID] = mapped_column(primary_key=True)
    anomaly_id: Mapped[UUID] = mapped_column(primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    reason: Mapped[str]
    released_at: Mapped[datetime]
    released_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))


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
