"""Bodies, filters and answers of payments (decisions.md, Payouts)."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, StrictInt, StringConstraints, model_validator

from serving_api.kit.pagination import PageQuery
from serving_api.kit.schemas import (
    Body,
    Day,
    Readme,
    ReadmeChanges,
    SupportedInstant,
    Text,
    unsent,
)
from warehouse.amounts import LARGEST_CENTS

MAX_ACCRUALS = 500
PaymentStatus = Literal["pending", "paid", "failed", "void"]


def _each_once(accrual_ids: list[UUID]) -> list[UUID]:
    if len(set(accrual_ids)) != len(accrual_ids):
        raise ValueError("names an accrual twice")
    return accrual_ids


AccrualIds = Annotated[list[UUID], Field(max_length=MAX_ACCRUALS), AfterValidator(_each_once)]
Cents = Annotated[StrictInt, Field(ge=0, le=LARGEST_CENTS)]
Reference = Annotated[Text, StringConstraints(max_length=200)]


class NewPayment(Body):
    """A payment of accruals, or on account: of an amount whose accruals may come later."""

    creator_id: UUID
    project_id: UUID = Field(description="The creator's")
    payout_method_id: UUID
    accrual_ids: AccrualIds | None = Field(default=None, description="What is paid; default none")
    amount_cents: Cents | None = Field(
        default=None, description="What the accruals come to; without any, a payment on account"
    )
    status: Literal["pending", "paid"] | None = Field(default=None, description="Default `paid`")
    paid_at: SupportedInstant | None = Field(
        default=None, description="Default now, if it is `paid`"
    )
    reference: Reference | None = None
    readme: Readme | None = None

    @model_validator(mode="after")
    def _pays_something(self) -> Self:
        if not self.accrual_ids and self.amount_cents is None:
            raise ValueError("send accrual_ids, amount_cents or both")
        if self.status == "pending" and self.paid_at is not None:
            raise ValueError("a pending payment has no paid_at")
        return self


class PaymentChanges(ReadmeChanges):
    """What a PATCH may change. `void` and `failed` release the accruals, for good."""

    status: PaymentStatus = unsent()
    paid_at: SupportedInstant = unsent()
    accrual_ids: AccrualIds = Field(
        default_factory=list, description="Added to a payment on account, at most its amount"
    )
    reference: Reference | None = unsent()
    receipt_path: Text | None = unsent()
    readme: Readme | None = unsent()
    expected_readme_version: str | None = Field(default=None, description="Only with `readme`")


class PaymentQuery(PageQuery):
    """Filters of the list of payments; a payment's day is that of paid_at, else of created_at."""

    project_id: UUID | None = None
    creator_id: UUID | None = None
    status: PaymentStatus | None = None
    from_day: Day | None = Field(default=None, alias="from", description="Paid on it or later")
    to_day: Day | None = Field(default=None, alias="to", description="Paid on it or earlier")


class Payment(BaseModel):
    """What a creator was paid. `accrual_ids` stay known where the payment was void or failed."""

    id: UUID
    org_id: UUID
    project_id: UUID
    creator_id: UUID
    payout_method_id: UUID
    amount_cents: int
    currency: str
    status: PaymentStatus
    accrual_ids: list[UUID]
    paid_at: datetime | None
    reference: str | None
    receipt_path: str | None
    readme: str | None
    created_at: datetime


class PaymentDetail(Payment):
    """A payment with the version of its notes."""

    readme_version: str
