"""An accrual as it is told (decisions.md, Payouts: Accrual), and when it ends."""

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Literal
from uuid import UUID

from warehouse.zones import start_of

AccrualStatus = Literal["open", "settling", "final", "approved", "paid", "void"]
AccrualKind = Literal["earning", "adjustment"]

ONE_DAY = timedelta(days=1)
OF_READINGS = ("cpm", "goals", "view_threshold")
"""Types of criteria whose amounts follow from readings of posts."""
LEAST_CHECKED_DAYS = 2
"""`rules.settling_days`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What is owed, why and to whom; what a decision or payment keeps of an accrual.

    Cents of `currency`; `precise_amount` is before rounding. Days are inclusive and of `timezone`.
    `subject_id` is the video of a view threshold (of `view_count` views) or the conversion of
    every_conversion. Of an adjustment, the last fields say what it corrects and when it is booked.
    """

    organization_id: UUID
    project_id: UUID
    structure_id: UUID
    creator_id: UUID
    version_id: UUID
    version_number: int
    criteria_type: str
    period_start: date
    period_end: date
    subject_id: UUID | None
    view_count: int | None
    currency: str
    amount_cents: int
    precise_amount: Decimal
    limited_by: str | None
    timezone: str
    computed_at: datetime
    kind: AccrualKind = "earning"
    adjusts_accrual_id: UUID | None = None
    adjustment_number: int | None = None
    booked_in: date | None = None
    reason: str | None = None

    @property
    def ends_at(self) -> datetime:
        """When the period is over (UTC)."""
        return start_of(self.period_end + ONE_DAY, self.timezone)

    def is_checked(self, holding: Collection[UUID]) -> bool:
        """Whether odd readings would hold it, where they hold amounts of these versions."""
        return self.version_id in holding and self.criteria_type in OF_READINGS

    def settles_at(self, of_organization: int, holding: Collection[UUID]) -> datetime:
        """Return when it has settled (UTC), in an organization that takes so many days."""
        least = LEAST_CHECKED_DAYS if self.is_checked(holding) else 0
        days = ONE_DAY * (1 + max(of_organization, least))
        return start_of(self.period_end + days, self.timezone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accrual(Content):
    """An accrual and how it stands. `payment_id` is of the payment, pending or paid, it is in."""

    accrual_id: UUID
    status: AccrualStatus
    payment_id: UUID | None = None
    note: str | None = None


CONTENT = tuple(field.name for field in fields(Content))
"""The names of the fields that are copied."""
