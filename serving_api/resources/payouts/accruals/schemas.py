"""Queries, bodies and answers of payout accruals (decisions.md, Payouts)."""

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

from serving_api.kit.counters import ViewCoverage
from serving_api.kit.envelope import Answer, PageMeta
from serving_api.kit.pagination import PageQuery, UpdatedQuery
from serving_api.kit.schemas import Body, Changes, Day, Remark, Text, unsent
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
        description="The amount that you reviewed. The decision fails if it changed."
        " Requires `status`"
    ),
]


class AccrualQuery(UpdatedQuery):
    project_id: UUID | None = None
    creator_id: UUID | None = None
    structure_id: UUID | None = None
    status: AccrualStatus | None = None
    held: bool | None = Field(default=None, description="Whether they are on hold")
    from_day: Day | None = Field(
        default=None, alias="from", description="The period ends on this day or later"
    )
    to_day: Day | None = Field(
        default=None, alias="to", description="The period ends on this day or earlier"
    )


class AccrualDecision(Changes):
    """A decision about an accrual. `final` undoes an approval or void."""

    status: Literal["approved", "void", "final"] = unsent()
    amount_cents: AmountSeen = unsent()
    note: Note | None = unsent()

    @model_validator(mode="after")
    def _of_what_is_decided(self) -> Self:
        if self.sends("amount_cents") and not self.sends("status"):
            raise ValueError("amount_cents requires status")
        return self


class Release(Body):
    """Why a held accrual may be paid."""

    reason: Remark


class OddReading(BaseModel):
    """A reading that no natural growth explains. See `GET /projects/{project_id}/anomalies`."""

    model_config = ConfigDict(from_attributes=True)

    anomaly_id: UUID
    video_id: UUID
    captured_at: datetime
    reason: Reason
    sentence: str = Field(description="What is unusual, with the figures")


class Hold(BaseModel):
    """Why an accrual is on hold. Its amount does not change."""

    reason: str = Field(description="What to review, in words")
    since_at: datetime = Field(description="When its first reading was captured, or it was held")
    readings_total: int
    readings: list[OddReading] = Field(description="The first 20 readings")


class Accrual(BaseModel):
    """An amount owed to a creator for a period, a conversion or a reached threshold."""

    id: UUID = Field(description="Stays the same when the accrual is recomputed")
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
        description="How many posts the amount was computed from, as its evidence lists them: for"
        " cpm the posts that gained views, for goals the posts that count, for view_threshold 1."
        " Null for other types, for adjustments, where views were carried over from earlier"
        " periods, and for older decisions and payments"
    )
    timezone: str = Field(description="Timezone of the period's days")
    kind: AccrualKind
    reason: str | None = Field(
        description="For adjustments: what changed since the payment, in words, with ids"
    )
    booked_in: date | None = Field(
        description="For adjustments: the first day of the period that books it"
    )
    status: AccrualStatus
    settles_at: datetime | None = Field(
        description="When a settling amount becomes final: after the organization's"
        " `payout_settling_days`, and with `hold_anomalies` at least two days after the period,"
        " because anomalies are known only then. Null for any other status"
    )
    payment_id: UUID | None
    adjusts_accrual_id: UUID | None = Field(description="For adjustments: the accrual it corrects")
    computed_at: datetime
    note: str | None
    held: Hold | None = Field(
        description="Why it can be neither approved nor paid until a member releases it: an admin"
        " held it, or its rule has `hold_anomalies` and readings behind it are anomalies. Otherwise"
        " null"
    )
    subject_id: UUID | None = Field(
        description="The video of a view_threshold, the conversion of a conversion that is paid one"
        " by one. Null for other types"
    )
    view_count: int | None = Field(
        description="For view_threshold: the threshold that the video reached. Null for other types"
    )


class AccrualDetail(Accrual):
    """An accrual with its evidence."""

    summary: str = Field(
        description="How the amount came about, in plain words",
        examples=["12,400 views counted: 10,000 at $1.00 and 2,400 at $0.80 per thousand"],
    )
    view_coverage: ViewCoverage | None = Field(
        description="For cpm: how many of the planned readings of views succeeded during the"
        " period, for the posts whose views it pays. Frozen with the evidence. Null if no reading"
        " was due, and for other types"
    )
    evidence: dict[str, JsonValue] = Field(
        description="Everything needed to compute the amount by hand. It lists at most 500"
        " conversions, and 500 counts behind goals: `conversions_total` (`counts_total`) is the"
        " full number, `conversions_truncated` (`counts_truncated`) is true if some are left out,"
        " and `GET /payout-accruals/{accrual_id}/evidence` lists them all",
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
    """One amount with everything needed to compute it again. Fractions are decimal strings."""

    format: Literal["payout-statement/1"] = Field(description="Format and version of this document")
    issuer: str = Field(description="The server that made it", examples=["https://tracker.example"])
    key_set: str = Field(description="Where its public keys are (RFC 7517)")
    issued_at: datetime
    organization_id: UUID
    accrual: dict[str, JsonValue] = Field(
        description="The amount as `GET /payout-accruals/{accrual_id}` returns it, without the note"
    )
    rule: dict[str, JsonValue] = Field(
        description="The version of the structure's rule that computed it"
    )
    evidence: dict[str, JsonValue] = Field(
        description="Everything that counted: readings, days, goals, conversions, and the steps"
        " from there to the amount"
    )
    summary: str = Field(description="How the amount came about, in plain words")


class SignedStatement(BaseModel):
    """A statement and its signature: a JWS with detached content (RFC 7515, appendix F).

    The signature covers `protected`, a full stop, and `statement` as canonical JSON (RFC 8785) in
    base64url. `docs/statements/verify.py` checks it and computes the amount again.
    """

    statement: Statement
    protected: str = Field(description="The header: algorithm (Ed25519) and key, base64url")
    signature: str = Field(description="The signature, base64url")


class EvidenceQuery(PageQuery):
    listed: EvidenceList = Field(alias="list", description="A list that its `criteria_type` has")
    limit: int = Field(default=50, ge=1, le=500, description="Maximum number of items")


class EvidenceMeta(PageMeta):
    """The next page, and how many items counted.

    Older payments store only the first 500 conversions: their last page comes before `total` is
    reached.
    """

    total: int


class EvidencePage(Answer[list[dict[str, JsonValue]], EvidenceMeta]):
    """One page of a list in an accrual's evidence."""


class AccrualsMeta(PageMeta):
    """The next page, and the sum of all pages. Void accruals count 0."""

    total_cents: int


class AccrualPage(Answer[list[Accrual], AccrualsMeta]):
    pass
