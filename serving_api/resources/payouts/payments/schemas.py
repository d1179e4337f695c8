"""Bodies, filters and answers of payments (decisions.md, Payouts)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    StrictInt,
    StringConstraints,
    model_validator,
)

from serving_api.kit.pagination import UpdatedQuery
from serving_api.kit.schemas import Body, Day, Readme, ReadmeChanges, SupportedInstant, Text, unsent
from warehouse.amounts import LARGEST_CENTS

MAX_ACCRUALS = 500
PaymentStatus = Literal["pending", "paid", "failed", "void"]


def _each_once(accrual_ids: list[UUID]) -> list[UUID]:
    if len(set(accrual_ids)) != len(accrual_ids):
        raise ValueError("must not contain duplicates")
    return accrual_ids


AccrualIds = Annotated[list[UUID], Field(max_length=MAX_ACCRUALS), AfterValidator(_each_once)]
Cents = Annotated[StrictInt, Field(ge=0, le=LARGEST_CENTS)]
Reference = Annotated[Text, StringConstraints(max_length=200)]


class NewPayment(Body):
    """A payment of accruals, or a payment on account, whose accruals may follow."""

    creator_id: UUID
    project_id: UUID = Field(description="The creator's project")
    payout_method_id: UUID
    accrual_ids: AccrualIds | None = Field(default=None, description="The accruals to pay")
    amount_cents: Cents | None = Field(
        default=None,
        description="The sum of the accruals. Without accruals, the amount paid on account",
    )
    status: Literal["pending", "paid"] | None = Field(
        default=None, description="Defaults to `paid`"
    )
    paid_at: SupportedInstant | None = Field(
        default=None, description="Defaults to now for a `paid` payment"
    )
    reference: Reference | None = None
    readme: Readme | None = None

    @model_validator(mode="after")
    def _pays_something(self) -> Self:
        if not self.accrual_ids and self.amount_cents is None:
            raise ValueError("send accrual_ids, amount_cents or both")
        if self.status == "pending" and self.paid_at is not None:
            raise ValueError("leave out paid_at for a pending payment")
        return self


class PaymentChanges(ReadmeChanges):
    """Changes to a payment. `void` and `failed` release its accruals permanently."""

    status: PaymentStatus = unsent()
    paid_at: SupportedInstant = unsent()
    accrual_ids: AccrualIds = Field(
        default_factory=list,
        description="Accruals to add to a payment on account, up to its amount",
    )
    reference: Reference | None = unsent()
    receipt_path: Text | None = unsent()
    readme: Readme | None = unsent()
    expected_readme_version: str | None = Field(default=None, description="Requires `readme`")


class PaymentQuery(UpdatedQuery):
    """Filters of the list of payments.

    A payment's day is that of `paid_at`, or else of `created_at`.
    """

    project_id: UUID | None = None
    creator_id: UUID | None = None
    status: PaymentStatus | None = None
    from_day: Day | None = Field(
        default=None, alias="from", description="Paid on this day or later"
    )
    to_day: Day | None = Field(default=None, alias="to", description="Paid on this day or earlier")


class FilteredPayments(PaymentQuery):
    """Filters of the desk's list beside those of the API."""

    payout_method_id: UUID | None = None
    creator_ids: Sequence[UUID] | None = None


class Payment(BaseModel):
    """A payment to a creator. Void and failed payments keep their `accrual_ids`."""

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
