"""Bodies and answers of simulations."""

from datetime import date, datetime
from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import BaseModel, Field, JsonValue, StrictInt

from serving_api.kit.schemas import Body, Day
from serving_api.resources.payouts.accruals.schemas import Hold, LimitedBy
from serving_api.resources.payouts.structures.bodies import NewStructureBody, RuleBody
from warehouse.amounts import LARGEST_CENTS

Outcome = Literal["found", "even_nothing_is_beyond", "even_the_largest_is_within"]
Change = Literal["gains", "loses", "same"]

MOST_CREATORS = 100
MOST_DAYS = 92


class Asked(Body):
    """A rule, its creators and days: a new structure, or a new rule of an existing one."""

    most_creators: ClassVar[int] = MOST_CREATORS
    most_days: ClassVar[int] = MOST_DAYS

    structure: NewStructureBody | None = Field(
        default=None,
        description="A new structure, as in its POST. It is simulated as if the creators were"
        " assigned from `from` to `to`",
    )
    structure_id: UUID | None = Field(
        default=None, description="An existing structure: `rule` replaces its own rule"
    )
    rule: RuleBody | None = Field(
        default=None, description="The new rule of `structure_id`, as in its PATCH"
    )
    creator_ids: Annotated[list[UUID] | None, Field(min_length=1, max_length=MOST_CREATORS)] = (
        Field(default=None, description="Creators of the structure's project")
    )
    campaign_id: UUID | None = Field(
        default=None, description="Instead of `creator_ids`: all creators of a campaign"
    )
    from_day: Day = Field(alias="from", description="Inclusive, in the structure's timezone")
    to_day: Day = Field(
        alias="to", description=f"Inclusive, not after today. At most {MOST_DAYS} days in all"
    )


class AskedForBudget(Asked):
    """A rule with one number to search for; its own value there is ignored."""

    budget_cents: Annotated[StrictInt, Field(ge=0, le=LARGEST_CENTS)]
    free: Annotated[str, Field(max_length=100)] = Field(
        description="Path of the number to search for: `amount_cents`,"
        " `criteria_params.max_payout_cents`, or, with the index of a tier, threshold or rate,"
        " `criteria_params.tiers.0.cents_per_thousand`,"
        " `criteria_params.thresholds.0.amount_cents`, `criteria_params.rates.0.amount_cents` and"
        " `criteria_params.rates.0.percent_bps`",
        examples=["criteria_params.tiers.0.cents_per_thousand"],
    )


class Form(BaseModel):
    format: Literal["json", "csv"] = "json"


class Part(BaseModel):
    """One post's part of an amount. Null if no post brought it."""

    video_id: UUID | None
    views: int | None = Field(description="For cpm: the views that are paid")
    amount_cents: int


class Explained(BaseModel):
    """The amount earned for a period, conversion or threshold, as an accrual has it."""

    amount_cents: int
    precise_amount: str = Field(description="Cents before rounding, a decimal number")
    limited_by: LimitedBy | None
    held: Hold | None = Field(
        default=None,
        description="Why it would be on hold before a release: its rule has `hold_anomalies`, and"
        " readings behind the amount are anomalies",
    )
    summary: str = Field(description="How the amount came about, in plain words")
    evidence: dict[str, JsonValue] = Field(
        description="Everything needed to compute the amount by hand"
    )


class ExplainedInForce(Explained):
    """The amount that the rules in force pay for it."""

    accrual_id: UUID = Field(description="Id for `GET /payout-accruals/{accrual_id}`")
    version_number: int


class Amount(Explained):
    """An amount with the posts that brought it."""

    videos: list[Part] = Field(description="Each post's part, exact to the cent")


class InForce(Amount, ExplainedInForce):
    """The amount that the rules in force pay, with the posts that brought it."""


class Subject(BaseModel):
    """One period, conversion or threshold."""

    period_start: date
    period_end: date = Field(description="Inclusive")
    subject_id: UUID | None = Field(
        description="The conversion, or the post that reached a threshold"
    )
    view_count: int | None = Field(description="The threshold")


class Compared(Subject):
    """What both rules pay for it. Null if one of them pays nothing."""

    simulated: Amount | None
    in_force: InForce | None


class Sums(BaseModel):
    """Cents earned. `in_force_cents` is null for a new structure."""

    simulated_cents: int
    in_force_cents: int | None
    difference_cents: int | None = Field(description="How much more the simulated rule pays")


class SumsInPart(Sums):
    """Sums, and the part of them that would be on hold."""

    held_cents: int = Field(description="Part of `simulated_cents` that would be on hold")


class CreatorSimulation(SumsInPart):
    """What one creator would have earned."""

    creator_id: UUID
    periods: list[Compared]


class CreatorSearch(SumsInPart):
    """What one creator would have earned with the number found."""

    creator_id: UUID
    change: Change | None = Field(
        description="Compared with the rules in force. Null for a new structure"
    )


class Searched(SumsInPart):
    """The largest number with which the rule would have stayed within the budget.

    Sums and creators are for that number, or for 0 if even that exceeds the budget.
    """

    as_of: datetime
    from_day: date = Field(serialization_alias="from")
    to_day: date = Field(serialization_alias="to")
    timezone: str
    currency: str
    budget_cents: int
    free: str
    outcome: Outcome
    value: float | int | None = Field(
        description="Largest number within the budget. Null if even 0 exceeds it"
    )
    left_cents: int = Field(description="Left of the budget. Negative if even 0 exceeds it")
    next_value: float | int | None = Field(
        description="Smallest number beyond the budget. Null if even the largest is within it"
    )
    next_cents: int | None = Field(description="What `next_value` would have paid")
    gain: int | None = Field(description="How many creators gain. Null for a new structure")
    lose: int | None
    creators: list[CreatorSearch]


class Simulated(SumsInPart):
    """What a rule would have paid up to `as_of`, in periods that contain a day of the range."""

    as_of: datetime
    from_day: date = Field(serialization_alias="from")
    to_day: date = Field(serialization_alias="to")
    timezone: str
    currency: str
    creators: list[CreatorSimulation]
