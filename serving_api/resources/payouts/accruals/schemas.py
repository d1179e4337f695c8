"""Filters, body and answers of payout accruals (decisions.md, Payouts)."""

from datetime import date, datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StrictInt,
    StringConstraints,
    model_validator,
)

from serving_api.kit.envelope import PageMeta
from serving_api.kit.pagination import PageQuery
from serving_api.kit.schemas import Body, Changes, Day, Remark, Text, unsent
from serving_api.kit.view_coverage import ViewCoverage
from serving_api.resources.payouts.accruals.evidence_lists import EvidenceList
from warehouse.catalogue.accruals import AccrualKind
from warehouse.reading.accruals.accrual import AccrualStatus
from warehouse.reading.anomalies import Reason

CriteriaType = Literal["recurring", "goals", "cpm", "view_threshold", "conversion"]
LimitedBy = Literal[
    "max_payout", "min_impressions", "goals_not_met", "paused", "proration", "view_lifetime"
]
Note = Annotated[Text, StringConstraints(max_length=1000)]
AmountSeen = Annotated[
    StrictInt,
    Field(
        description="What it came to when it was looked at: only that amount is decided about."
        " Only with `status`"
    ),
]


class AccrualQuery(PageQuery):
    """Filters of the list of accruals."""

    project_id: UUID | None = None
    creator_id: UUID | None = None
    structure_id: UUID | None = None
    status: AccrualStatus | None = None
    held: bool | None = Field(default=None, description="Whether they wait for a check")
    from_day: Day | None = Field(
        default=None, alias="from", description="The period ends on this day or later"
    )
    to_day: Day | None = Field(
        default=None, alias="to", description="The period ends on this day or earlier"
    )


class AccrualDecision(Changes):
    """What is decided about an accrual: `final` undoes an approval or void."""

    status: Literal["approved", "void", "final"] = unsent()
    amount_cents: AmountSeen = unsent()
    note: Note | None = unsent()

    @model_validator(mode="after")
    def _of_what_is_decided(self) -> Self:
        if self.sends("amount_cents") and not self.sends("status"):
            raise ValueError("amount_cents needs status")
        return self


class Release(Body):
    """Why an accrual is paid though readings behind it are odd."""

    reason: Remark


class OddReading(BaseModel):
    """A reading that no natural growth explains: see `GET /projects/{project_id}/anomalies`."""

    model_config = ConfigDict(from_attributes=True)

    anomaly_id: UUID
    video_id: UUID
    captured_at: datetime
    reason: Reason
    sentence: str = Field(description="What is odd, with the figures")


class Hold(BaseModel):
    """Why an accrual waits for a check. Its amount stays as it was computed."""

    reason: str = Field(description="What has to be checked, in words")
    since_at: datetime = Field(description="When the first of the readings was taken")
    readings_total: int
    readings: list[OddReading] = Field(description="The first 20 of them")


class Accrual(BaseModel):
    """What a creator is owed, for a period, a conversion or a threshold that was reached."""

    id: UUID = Field(description="The same however often it is recomputed")
    structure_id: UUID
    structure_name: str
    version_id: UUID
    version_number: int
    creator_id: UUID
    project_id: UUID
    criteria_type: CriteriaType
    period_start: date
    period_end: date = Field(description="Inclusive")
    currency: str
    amount_cents: int
    precise_amount: str = Field(
        description="Cents before rounding, a decimal number", examples=["1233.300000000"]
    )
    limited_by: LimitedBy | None
    post_count: int | None = Field(
        description="How many posts it was computed from, those that its evidence lists: of cpm"
        " whose views gained, of goals what they count, of view_threshold 1. Null where views were"
        " carried in from earlier periods, of other types, of adjustments, and of amounts decided"
        " or paid before it was counted"
    )
    timezone: str = Field(description="The zone whose days the period is of")
    kind: AccrualKind
    reason: str | None = Field(
        description="Of an adjustment: in words what changed since it was paid, with ids"
    )
    booked_in: date | None = Field(
        description="Of an adjustment: the first day of the period in which it is booked"
    )
    status: AccrualStatus
    settles_at: datetime | None = Field(
        description="When an amount that settles becomes final: after the organization's"
        " `payout_settling_days`, and under `hold_anomalies` two days after the period at least,"
        " because only then can its readings be judged. Null of any other status"
    )
    payment_id: UUID | None
    adjusts_accrual_id: UUID | None = Field(description="Of an adjustment: what it corrects")
    computed_at: datetime
    note: str | None
    held: Hold | None = Field(
        description="Why it can be neither approved nor paid until somebody releases it: of rules"
        " with `hold_anomalies`, where readings behind the amount are odd. Else null"
    )


class AccrualDetail(Accrual):
    """An accrual with what its amount was computed from."""

    summary: str = Field(
        description="How the amount came about, in plain words",
        examples=["12,400 views counted: 10,000 at $1.00 and 2,400 at $0.80 per thousand"],
    )
    view_coverage: ViewCoverage | None = Field(
        description="Of cpm: how many of the readings of views that were due on the days of the"
        " period came, of the posts whose views it pays. Kept with the evidence where the amount is"
        " frozen. Null where nothing was due, and of other types"
    )
    evidence: dict[str, JsonValue] = Field(
        description="Enough to redo the amount by hand. Of more than 500 conversions, or counts"
        " behind goals, it lists the first: `conversions_total` (`counts_total`) says how many"
        " there are, `conversions_truncated` (`counts_truncated`) that some are left out, and"
        " `GET /payout-accruals/{accrual_id}/evidence` lists them all",
        examples=[
            {
                "type": "recurring",
                "amount_cents": 10000,
                "proration_mode": "prorate",
                "days": 31,
                "covered_days": 15,
                "paused_days": 0,
                "limited_by": ["proration"],
            }
        ],
    )


class Statement(BaseModel):
    """One amount with all that it takes to redo it. Fractions are texts of decimal numbers."""

    format: Literal["payout-statement/1"] = Field(description="What this document says, and how")
    issuer: str = Field(description="The server that made it", examples=["https://tracker.example"])
    key_set: str = Field(description="Where its public keys are (RFC 7517)")
    issued_at: datetime
    organization_id: UUID
    accrual: dict[str, JsonValue] = Field(
        description="The amount as `GET /payout-accruals/{accrual_id}` tells it, without the note"
    )
    rule: dict[str, JsonValue] = Field(
        description="The version of the structure's rule that it was computed by"
    )
    evidence: dict[str, JsonValue] = Field(
        description="All that was counted, whole: readings, days, goals, conversions, and the steps"
        " from there to the amount"
    )
    summary: str = Field(description="How the amount came about, in plain words")


class SignedStatement(BaseModel):
    """A statement and its signature: a JWS with detached content (RFC 7515, appendix F).

    What is signed is `protected`, a full stop, and `statement` as canonical JSON (RFC 8785) in
    base64url. `docs/statements/verify.py` checks it and redoes the amount.
    """

    statement: Statement
    protected: str = Field(description="The header: algorithm (Ed25519) and key, base64url")
    signature: str = Field(description="The signature, base64url")


class EvidenceQuery(PageQuery):
    """Which list of an accrual's evidence."""

    listed: EvidenceList = Field(alias="list", description="One that the accrual's evidence has")
    limit: int = Field(default=50, ge=1, le=500, description="How many items at most")


class EvidenceMeta(PageMeta):
    """Where the list goes on, and how many items were counted.

    Payments made before lists were kept whole have the first 500 conversions: there the last page
    comes before `total` is reached.
    """

    total: int


class EvidencePage(BaseModel):
    """One page of a list in evidence, the items as evidence has them."""

    data: list[dict[str, JsonValue]]
    error: None = None
    meta: EvidenceMeta


class AccrualsMeta(PageMeta):
    """Where the list goes on, and what all pages of it come to; void accruals count 0."""

    total_cents: int


class AccrualPage(BaseModel):
    """One page of accruals."""

    data: list[Accrual]
    error: None = None
    meta: AccrualsMeta
