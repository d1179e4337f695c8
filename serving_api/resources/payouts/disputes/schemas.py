"""Bodies, filters and answers of disputes."""

from datetime import date, datetime
from typing import Literal, Self
from uuid import UUID

from pydantic import BaseModel, Field, model_validator

from serving_api.kit.pagination import PageQuery
from serving_api.kit.schemas import Body, Remark

DisputeState = Literal["open", "answered", "corrected", "rejected"]


class NewDispute(Body):
    """An objection to an amount."""

    accrual_id: UUID
    reason: Remark = Field(description="Why the amount is wrong")


class DisputeDecision(Body):
    """A decision about a dispute. The person who opened it reads the answer."""

    state: Literal["answered", "corrected", "rejected"] = Field(
        description="`answered` replies and leaves the dispute open for a decision"
    )
    answer: Remark
    correction_id: UUID | None = Field(
        default=None,
        description="With `corrected`: the adjustment that corrects a paid amount. It must be the"
        " latest that was added or changed since the dispute or, without any, the latest that is"
        " later than those of earlier disputes. If left out, the amount itself must differ from"
        " the disputed one",
    )

    @model_validator(mode="after")
    def _correction_of_what_is_corrected(self) -> Self:
        if self.correction_id is not None and self.state != "corrected":
            raise ValueError("correction_id requires state corrected")
        return self


class DisputeQuery(PageQuery):
    project_id: UUID | None = None
    creator_id: UUID | None = None
    structure_id: UUID | None = None
    accrual_id: UUID | None = None
    state: DisputeState | None = None
    overdue: bool | None = Field(
        default=None, description="Whether they are unresolved after `due_at`"
    )


class Dispute(BaseModel):
    """A disputed amount."""

    id: UUID
    org_id: UUID
    project_id: UUID
    creator_id: UUID
    structure_id: UUID
    accrual_id: UUID
    period_start: date
    period_end: date = Field(description="Inclusive")
    currency: str
    amount_cents: int = Field(description="Amount of the accrual when it was disputed")
    state: DisputeState
    reason: str
    opened_at: datetime
    opened_by: UUID | None = Field(
        description="The member. Null: the creator, on the share page with its PIN"
    )
    due_at: datetime = Field(
        description="When it should be corrected or rejected: seven days after `opened_at`"
    )
    is_overdue: bool
    age_days: int = Field(
        description="Whole days of 24 hours from `opened_at` to `resolved_at`, or to now"
    )
    answer: str | None
    answered_at: datetime | None
    answered_by: UUID | None
    resolved_at: datetime | None = Field(description="When it was corrected or rejected")
    resolved_by: UUID | None
    correction_id: UUID | None = Field(
        description="The adjustment that corrects the amount, or the amount of the bonus with which"
        " the desk accepted the dispute, which the next run computes. Null if an unpaid amount"
        " changed"
    )
    correction_cents: int | None = Field(description="By how much the amount was corrected")
