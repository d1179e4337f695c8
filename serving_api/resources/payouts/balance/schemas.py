"""The answer of a creator's payout balance (decisions.md, Payouts)."""

from pydantic import BaseModel, Field


class Balance(BaseModel):
    """What a creator is owed and was paid, in cents; negative where more was paid than owed."""

    accrued_cents: int = Field(description="Of accruals that are final, approved or paid")
    paid_cents: int = Field(description="Of payments that are paid")
    balance_cents: int = Field(description="accrued_cents less paid_cents")
    open_cents: int = Field(description="Of accruals that are open or settling")
    currency: str
