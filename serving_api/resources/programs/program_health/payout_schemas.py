"""Program health of payouts: overdue disputes, payments with anomalies, and used-up budgets."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.resources.payouts.accruals.schemas import Hold
from serving_api.resources.payouts.budgets.schemas import BudgetExposure, OnExceeded


class OverdueDispute(BaseModel):
    """A disputed amount that was not resolved in time."""

    dispute_id: UUID
    accrual_id: UUID
    creator_id: UUID
    amount_cents: int
    currency: str
    opened_at: datetime
    due_at: datetime


class OddPayment(BaseModel):
    """A paid amount with anomalies that were found after the payment.

    The amount does not change by itself. `POST /payout-accruals/{accrual_id}/release` records why
    it was right and resolves this alert.
    """

    accrual_id: UUID
    payment_id: UUID
    creator_id: UUID
    amount_cents: int
    currency: str
    held: Hold = Field(description="What to review")


class ReachedBudget(BaseModel):
    """A budget that reached a threshold."""

    budget_id: UUID
    name: str
    amount_cents: int
    on_exceeded: OnExceeded
    exposure: BudgetExposure
