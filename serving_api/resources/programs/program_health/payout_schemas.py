"""What program health says of payouts: overdue disputes, odd payments, budgets that are spent."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.resources.payouts.accruals.schemas import Hold
from serving_api.resources.payouts.budgets.schemas import BudgetExposure, OnExceeded


class OverdueDispute(BaseModel):
    """An amount that somebody says is wrong, which was not resolved in time."""

    dispute_id: UUID
    accrual_id: UUID
    creator_id: UUID
    amount_cents: int
    currency: str
    opened_at: datetime
    due_at: datetime


class OddPayment(BaseModel):
    """An amount in a payment of which readings turned out to be odd only afterwards.

    Nothing of it changes by itself. `POST /payout-accruals/{accrual_id}/release` says why it was
    right, and ends this.
    """

    accrual_id: UUID
    payment_id: UUID
    creator_id: UUID
    amount_cents: int
    currency: str
    held: Hold = Field(description="What would have to be checked")


class ReachedBudget(BaseModel):
    """A budget of which a threshold is reached."""

    budget_id: UUID
    name: str
    amount_cents: int
    on_exceeded: OnExceeded
    exposure: BudgetExposure
