"""Bodies, filters and answers of budgets."""

from datetime import date, datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, StrictInt, model_validator

from serving_api.kit.pagination import PageQuery
from serving_api.kit.schemas import EXPECTED, Body, Changes, Name, Version, unsent
from warehouse.amounts import LARGEST_CENTS
from warehouse.reading.payout_forecasts import PayoutHidden

BudgetPeriod = Literal["monthly"]
OnExceeded = Literal["warn", "stop_assignments"]
Unprojected = PayoutHidden | Literal["not_known"]


def _ascending(thresholds: list[int]) -> list[int]:
    if sorted(set(thresholds)) != thresholds:
        raise ValueError("must be in ascending order without duplicates")
    return thresholds


AmountCents = Annotated[StrictInt, Field(gt=0, le=LARGEST_CENTS)]
Threshold = Annotated[StrictInt, Field(ge=1, le=1000)]
Thresholds = Annotated[list[Threshold], Field(max_length=10), AfterValidator(_ascending)]


class NewBudget(Body):
    """A budget for a project, or for a campaign or payout structure in it."""

    project_id: UUID
    campaign_id: UUID | None = Field(
        default=None, description="Limits the budget to creators whom this campaign reaches"
    )
    structure_id: UUID | None = Field(
        default=None, description="Limits the budget to this payout structure"
    )
    name: Name
    amount_cents: AmountCents
    period: BudgetPeriod | None = Field(
        default=None,
        description="`monthly`: the amount is for each calendar month in the organization's"
        " timezone. Null: for all time",
    )
    thresholds: Thresholds = Field(
        default_factory=lambda: [80, 100], description="Percentages that send a webhook event"
    )
    on_exceeded: OnExceeded = Field(
        default="warn",
        description="`stop_assignments`: once the budget is used up, creators can no longer be"
        " assigned to its structures. Earned amounts never change",
    )

    @model_validator(mode="after")
    def _of_one_thing(self) -> Self:
        if self.campaign_id is not None and self.structure_id is not None:
            raise ValueError("send campaign_id or structure_id, not both")
        return self


class BudgetChanges(Changes):
    """Changes to a budget. Its project, campaign and structure cannot change."""

    name: Name = unsent()
    amount_cents: AmountCents = unsent()
    thresholds: Thresholds = unsent()
    on_exceeded: OnExceeded = unsent()
    expected_version: Version | None = EXPECTED


class BudgetQuery(PageQuery):
    project_id: UUID | None = None
    campaign_id: UUID | None = None
    structure_id: UUID | None = None


class Budget(BaseModel):
    """A payout budget."""

    id: UUID
    org_id: UUID
    project_id: UUID
    campaign_id: UUID | None
    structure_id: UUID | None
    name: str
    amount_cents: int
    currency: str
    period: BudgetPeriod | None
    thresholds: list[int]
    on_exceeded: OnExceeded
    version: str = Field(default="", description="Version of the fields that a PATCH can change")
    created_at: datetime
    updated_at: datetime


class Foreseen(BaseModel):
    """A threshold that will be reached, and the day, assuming equal spend on each day."""

    threshold: int
    day: date


class BudgetExposure(BaseModel):
    """Committed spend of a budget in cents. Void accruals do not count.

    A monthly budget counts periods that end in the month, and adjustments with the accrual they
    correct.
    """

    month: date | None = Field(description="First day of the current month. Null: all time")
    open_cents: int = Field(description="In open periods")
    settling_cents: int
    final_cents: int = Field(description="Due, neither approved nor paid")
    approved_cents: int
    paid_cents: int
    exposure_cents: int = Field(description="The sum of all five")
    left_cents: int = Field(description="Left of the budget. Negative if more was earned")
    share: float = Field(description="`exposure_cents` / `amount_cents`, four decimals")
    reached: list[int] = Field(description="Thresholds reached so far")
    projected_cents: int | None = Field(
        description="Projected spend with the accruals whose periods end in the current month."
        " Null if there is no forecast"
    )
    projected_low_cents: int | None = Field(description="Lower end of the 80% interval")
    projected_high_cents: int | None = Field(description="Upper end of the 80% interval")
    projected_through: date | None = Field(description="Last day of that month")
    not_projected_because: Unprojected | None = Field(
        description="Why there is no projection. Null if there is one"
    )
    foreseen: list[Foreseen] = Field(
        description="Thresholds that `projected_cents` reaches but `exposure_cents` does not yet,"
        " ascending"
    )


class BudgetDetail(Budget):
    """A budget with its committed spend."""

    exposure: BudgetExposure
