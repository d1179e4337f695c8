"""Body and answer of a creator's payout account (decisions.md, Creators, accounts, videos)."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.schemas import Body, Metadata

DETAILS = {"iban": "DE00 0000 0000 0000 0000 00", "account_holder": "Demo Creator"}


class PayoutAccountSettings(Body):
    """A way of paying, and what it takes to pay this creator by it. Replaces what was there."""

    payout_method_id: UUID = Field(description="An active payout method of the organization")
    details: Metadata = Field(
        description="Whatever the method needs; kept encrypted", examples=[DETAILS]
    )


class PayoutAccount(BaseModel):
    """Where a creator's money goes."""

    creator_id: UUID
    payout_method_id: UUID
    details: Metadata = Field(examples=[DETAILS])
    created_at: datetime
    updated_at: datetime
