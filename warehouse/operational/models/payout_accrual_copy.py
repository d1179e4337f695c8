"""What people decide about a computed accrual keeps the accrual as it was: this is that copy."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Numeric
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column


class PayoutAccrualCopy:
    """An accrual's fields at the moment of a decision (contract decisions, Payouts: Accrual).

    `subject_id` is the video of a view threshold (with its `view_count`) or the conversion of
    every_conversion. Of an adjustment, `adjusts_accrual_id` is what it corrects and
    `adjustment_number` its n (money.md M19); `booked_in` the first day of the period in which it
    is booked.
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
