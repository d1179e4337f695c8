"""Bodies, filters and answers of budgets."""

from datetime import date, datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, StrictInt, model_validator

from serving_api.kit.pagination import PageQuery
from serving_api.kit.schemas import EXPECTED, Body, Changes, Name, Version, unsent
from serving_api.resources.analytics.forecast_accuracy import ForecastAccuracy
from warehouse.amounts import LARGEST_CENTS
from warehouse.reading.payout_forecasts import PayoutHidden

BudgetPeriod = Literal["monthly"]
OnExceeded = Literal["warn", "stop_assignments"]
Unprojected = PayoutHidden | Literal["not_known"]


def _ascending(thresholds: list[int]) -> list[int]:
    if sorted(set(thresholds)) != thresholds:
        raise ValueError("must ascend, each once")
    return thresholds


AmountCents = Annotated[StrictInt, Field(gt=0, le=LARGEST_CENTS)]
Threshold = Annotated[StrictInt, Field(ge=1, le=1000)]
Thresholds = Annotated[list[Threshold], Field(max_length=10), AfterValidator(_ascending)]


class NewBudget(Body):
    """What a project may cost, or a campaign or payout structure in it."""

    project_id: UUID
    campaign_id: UUID | None = Field(
        default=None, description="Of the creators whom this campaign of the project reaches"
    )
    structure_id: UUID | None = Field(default=None, description="Of this payout structure in it")
    name: Name
    amount_cents: AmountCents
    period: BudgetPeriod | None = Field(
        default=None, description="Anew in each calendar month of the organization; null: in all"
    )
    thresholds: Thresholds = Field(
        default_factory=lambda: [80, 100], description="Percentages that programs are told of"
    )
    on_exceeded: OnExceeded = Field(
        default="warn",
        description="`stop_assignments`: once nothing is left, nobody is assigned to a structure"
        " that the budget is of. What was earned never changes",
    )

    @model_validator(mode="after")
    def _of_one_thing(self) -> Self:
        if self.campaign_id is not None and self.structure_id is not None:
            raise ValueError("send campaign_id or structure_id, not both")
        return self


class BudgetChanges(Changes):
    """What a PATCH may change; what a budget is of, never."""

    name: Name = unsent()
    amount_cents: AmountCents = unsent()
    thresholds: Thresholds = unsent()
    on_exceeded: OnExceeded = unsent()
    expected_version: Version | None = EXPECTED


class BudgetQuery(PageQuery):
    """Filters of the list of budgets."""

    project_id: UUID | None = None
    campaign_id: UUID | None = None
    structure_id: UUID | None = None


class Budget(BaseModel):
    """What may be spent."""

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
    version: str = Field(default="", description="Of what a PATCH may change")
    created_at: datetime
    updated_at: datetime


class Foreseen(BaseModel):
    """A threshold that will be reached, and when, with as much on each day."""

    threshold: int
    day: date


class BudgetExposure(BaseModel):
    """What the accruals of a budget come to now, in cents; void ones count nowhere.

    Of a month are those whose period ends in it, corrections with what they correct.
    """

    month: date | None = Field(description="The first day of the present month; null: of all time")
    open_cents: int = Field(description="In periods that are not over")
    settling_cents: int
    final_cents: int = Field(description="Due, neither approved nor paid")
    approved_cents: int
    paid_cents: int
    exposure_cents: int = Field(description="The sum of all five")
    left_cents: int = Field(description="Of the budget; negative where more was earned")
    share: float = Field(description="exposure_cents of the budget, four decimals")
    reached: list[int] = Field(description="The thresholds that are reached")
    projected_cents: int | None = Field(
        description="What it will come to with the accruals whose periods end in the present month;"
        " null where forecasts did not prove better than the baseline"
    )
    projected_low_cents: int | None = Field(description="Lower end of the 80% interval; likewise")
    projected_high_cents: int | None = Field(description="Upper end of it; likewise")
    projected_through: date | None = Field(description="The last day of that month; likewise")
    projected_accuracy: ForecastAccuracy | None = Field(
        description="How such forecasts did; null where nothing is projected"
    )
    not_projected_because: Unprojected | None = Field(description="Why not; null where it is")
    foreseen: list[Foreseen] = Field(
        description="Thresholds that projected_cents reaches and exposure_cents does not, ascending"
    )


class BudgetDetail(Budget):
    """A budget, and what it has come to."""

    exposure: BudgetExposure
