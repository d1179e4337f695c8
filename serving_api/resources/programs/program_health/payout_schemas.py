"""What program health says of payouts: disputes that nobody resolved, budgets that are spent."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel

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


class ReachedBudget(BaseModel):
    """A budget of which a threshold is reached."""

    budget_id: UUID
    name: str
    amount_cents: int
    on_exceeded: OnExceeded
    exposure: BudgetExposure
