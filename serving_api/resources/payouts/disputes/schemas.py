"""Bodies, filters and answers of disputes."""

from datetime import date, datetime
from typing import Literal, Self
from uuid import UUID

from pydantic import BaseModel, Field, model_validator

from serving_api.kit.pagination import PageQuery
from serving_api.kit.schemas import Body, Remark

DisputeState = Literal["open", "answered", "corrected", "rejected"]


class NewDispute(Body):
    """What is said against an amount."""

    accrual_id: UUID
    reason: Remark = Field(description="Why the amount is wrong")


class DisputeDecision(Body):
    """What comes of a dispute. Whoever disputed the amount reads the answer."""

    state: Literal["answered", "corrected", "rejected"] = Field(
        description="`answered` says something and leaves it undecided"
    )
    answer: Remark
    correction_id: UUID | None = Field(
        default=None,
        description="With `corrected`: the adjustment that corrects an amount that was paid, the"
        " latest that came or changed since it was disputed. Without it, the amount must come to"
        " something else than was disputed",
    )

    @model_validator(mode="after")
    def _correction_of_what_is_corrected(self) -> Self:
        if self.correction_id is not None and self.state != "corrected":
            raise ValueError("correction_id needs state corrected")
        return self


class DisputeQuery(PageQuery):
    """Filters of the list of disputes."""

    project_id: UUID | None = None
    creator_id: UUID | None = None
    structure_id: UUID | None = None
    accrual_id: UUID | None = None
    state: DisputeState | None = None
    overdue: bool | None = Field(
        default=None,
        description="Whether they are past `due_at` and neither corrected nor rejected",
    )


class Dispute(BaseModel):
    """An amount that somebody says is wrong."""

    id: UUID
    org_id: UUID
    project_id: UUID
    creator_id: UUID
    structure_id: UUID
    accrual_id: UUID
    period_start: date
    period_end: date = Field(description="Inclusive")
    currency: str
    amount_cents: int = Field(description="What the accrual came to when it was disputed")
    state: DisputeState
    reason: str
    opened_at: datetime
    opened_by: UUID | None = Field(
        description="The member; null: the creator, on its share page with the PIN"
    )
    due_at: datetime = Field(
        description="Until when it is to be corrected or rejected: seven days after `opened_at`"
    )
    is_overdue: bool
    age_days: int = Field(description="Whole days of 24 hours since `opened_at`, to its end or now")
    answer: str | None
    answered_at: datetime | None
    answered_by: UUID | None
    resolved_at: datetime | None = Field(description="When it was corrected or rejected")
    resolved_by: UUID | None
    correction_id: UUID | None = Field(
        description="The adjustment that corrects the amount; null where it was not paid yet"
    )
    correction_cents: int | None = Field(description="By how much the amount was corrected")
