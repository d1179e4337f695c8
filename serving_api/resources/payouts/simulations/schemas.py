"""Body and answer of a simulation."""

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
    """A rule, whom it pays and when: a new structure, or a new rule of one that there is."""

    most_creators: ClassVar[int] = MOST_CREATORS
    most_days: ClassVar[int] = MOST_DAYS

    structure: NewStructureBody | None = Field(
        default=None,
        description="A new structure, as for creating it: simulated as if its creators were"
        " assigned from `from` to `to`",
    )
    structure_id: UUID | None = Field(
        default=None, description="A structure that there is: `rule` stands for its own"
    )
    rule: RuleBody | None = Field(
        default=None, description="The rule of `structure_id`, as for changing it"
    )
    creator_ids: Annotated[list[UUID] | None, Field(min_length=1, max_length=MOST_CREATORS)] = (
        Field(default=None, description="Of the structure's project")
    )
    campaign_id: UUID | None = Field(
        default=None, description="In place of `creator_ids`: all creators of a campaign"
    )
    from_day: Day = Field(alias="from", description="Inclusive, in the structure's zone")
    to_day: Day = Field(
        alias="to", description=f"Inclusive, not after today; at most {MOST_DAYS} days in all"
    )


class AskedForBudget(Asked):
    """A rule of which one number is looked for; what it says itself there does not matter."""

    budget_cents: Annotated[StrictInt, Field(ge=0, le=LARGEST_CENTS)]
    free: Annotated[str, Field(max_length=100)] = Field(
        description="Where the rule has the number that is looked for: `amount_cents`,"
        " `criteria_params.max_payout_cents`, and with the place of a tier, threshold or rate from"
        " 0 on `criteria_params.tiers.0.cents_per_thousand`,"
        " `criteria_params.thresholds.0.amount_cents`, `criteria_params.rates.0.amount_cents` and"
        " `criteria_params.rates.0.percent_bps`",
        examples=["criteria_params.tiers.0.cents_per_thousand"],
    )


class Form(BaseModel):
    """How the answer is wanted."""

    format: Literal["json", "csv"] = "json"


class Part(BaseModel):
    """What one post has of an amount; null where no post brought it."""

    video_id: UUID | None
    views: int | None = Field(description="Of cpm: the views that are paid")
    amount_cents: int


class Explained(BaseModel):
    """What is earned for a period, a conversion or a threshold, as an accrual tells it."""

    amount_cents: int
    precise_amount: str = Field(description="Cents before rounding, a decimal number")
    limited_by: LimitedBy | None
    held: Hold | None = Field(
        default=None,
        description="What it would wait for, before anybody releases or pays it: of rules with"
        " `hold_anomalies`, where readings behind the amount are odd",
    )
    summary: str = Field(description="How the amount came about, in plain words")
    evidence: dict[str, JsonValue] = Field(description="Enough to redo the amount by hand")


class ExplainedInForce(Explained):
    """What the rules in force pay for it."""

    accrual_id: UUID = Field(description="Of `GET /payout-accruals/{accrual_id}`")
    version_number: int


class Amount(Explained):
    """The same, with the posts that brought it."""

    videos: list[Part] = Field(description="How it is shared by posts, to the cent")


class InForce(Amount, ExplainedInForce):
    """What the rules in force pay, with the posts that brought it."""


class Subject(BaseModel):
    """One period, conversion or threshold."""

    period_start: date
    period_end: date = Field(description="Inclusive")
    subject_id: UUID | None = Field(
        description="The conversion, or the post that reached a threshold"
    )
    view_count: int | None = Field(description="The threshold")


class Compared(Subject):
    """What both pay for it; null where one of the two pays nothing."""

    simulated: Amount | None
    in_force: InForce | None


class Sums(BaseModel):
    """Cents earned. `in_force_cents` is null where the structure is new."""

    simulated_cents: int
    in_force_cents: int | None
    difference_cents: int | None = Field(description="What the simulated rule pays more")


class SumsInPart(Sums):
    """Sums, and what of them would not be paid at once."""

    held_cents: int = Field(description="Of `simulated_cents`: what would wait for a check")


class CreatorSimulation(SumsInPart):
    """What one creator would have earned."""

    creator_id: UUID
    periods: list[Compared]


class CreatorSearch(SumsInPart):
    """What one creator would have earned by the number that was found."""

    creator_id: UUID
    change: Change | None = Field(
        description="Against the rules in force; null where there is none"
    )


class Searched(SumsInPart):
    """The largest number with which the rule would have kept to the budget.

    Sums and creators are of that number; of 0 where even that is beyond the budget.
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
        description="The largest within the budget; null where even 0 is beyond it"
    )
    left_cents: int = Field(description="Of the budget; negative where even 0 is beyond it")
    next_value: float | int | None = Field(
        description="The smallest beyond the budget; null where even the largest is within it"
    )
    next_cents: int | None = Field(description="What that would have paid")
    gain: int | None = Field(description="How many creators gain by it; null where it is new")
    lose: int | None
    creators: list[CreatorSearch]


class Simulated(SumsInPart):
    """What a rule would have paid, up to `as_of`: in the periods that hold a day of the range."""

    as_of: datetime
    from_day: date = Field(serialization_alias="from")
    to_day: date = Field(serialization_alias="to")
    timezone: str
    currency: str
    creators: list[CreatorSimulation]
