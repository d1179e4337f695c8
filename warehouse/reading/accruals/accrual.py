"""An accrual (decisions.md, Payouts: Accrual), and when it ends."""

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple
from uuid import UUID

from warehouse.catalogue.accruals import COMPUTED, COPIED, Copied
from warehouse.zones import start_of

AccrualStatus = Literal["open", "settling", "final", "approved", "paid", "void"]

ONE_DAY = timedelta(days=1)
OF_READINGS = ("cpm", "goals", "view_threshold")
"""Criteria types whose amounts follow from readings of posts."""
LEAST_CHECKED_DAYS = 2
"""`rules.settling_days`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content(Copied):
    """Amount, reason and payee of an accrual, as copied by decisions and payments."""

    @property
    def ends_at(self) -> datetime:
        """When the period is over (UTC)."""
        return start_of(self.period_end + ONE_DAY, self.timezone)

    def is_checked(self, holding: Collection[UUID]) -> bool:
        """Return whether anomalies hold it. `holding` are versions with `hold_anomalies`."""
        return self.version_id in holding and self.criteria_type in OF_READINGS

    def settles_at(self, of_organization: int, holding: Collection[UUID]) -> datetime:
        """Return when it settles (UTC). `of_organization` are the organization's settling days."""
        least = LEAST_CHECKED_DAYS if self.is_checked(holding) else 0
        days = ONE_DAY * (1 + max(of_organization, least))
        return start_of(self.period_end + days, self.timezone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accrual(Content):
    """An accrual with its status. `payment_id` is its pending or paid payment."""

    accrual_id: UUID
    status: AccrualStatus
    payment_id: UUID | None = None
    note: str | None = None


class PeriodAmount(NamedTuple):
    """The columns of an accrual that compare it with another period."""

    accrual_id: UUID
    adjusts_accrual_id: UUID | None
    structure_id: UUID
    creator_id: UUID
    subject_id: UUID | None
    period_end: date
    kind: str
    status: AccrualStatus
    amount_cents: int


CONTENT = tuple(column.name for column in COPIED)
"""The names of the copied fields."""
COMPUTED_NAMES = f"^({'|'.join(column.name for column in COMPUTED)})$"
"""A pattern for the computed fields that a table has.

Publications of older models may lack a later field; those of newer models may have more.
"""
ACCRUAL_NAMES = f"^({'|'.join(field.name for field in fields(Accrual))})$"
"""The same for all fields."""
