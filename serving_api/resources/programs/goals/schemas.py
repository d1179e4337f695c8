"""Bodies and answers of goals (contract, Goal and Goals)."""

from datetime import date
from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, Field, StrictInt, model_validator

from serving_api.kit.platform_scope import PlatformScope, Scoped
from serving_api.kit.schemas import EXPECTED, Changes, Day, Flag, Platform, Version, unsent
from warehouse.reading.goals import GoalMetric, GoalPeriod

Target = Annotated[StrictInt, Field(gt=0, le=2**63 - 1)]


class NewGoal(Scoped):
    """A goal to set; only whole periods are judged.

    Dates are days of the organization's zone; an account must be the creator's.
    """

    metric: GoalMetric
    period: GoalPeriod
    target_value: Target
    start_date: Day | None = Field(
        default=None, description="First judged in the first period that starts then or later"
    )
    end_date: Day | None = Field(
        default=None, description="Last judged in the last period that ends then or earlier"
    )

    @model_validator(mode="after")
    def _days_in_order(self) -> Self:
        if self.start_date and self.end_date and self.end_date < self.start_date:
            raise ValueError("end_date must not be earlier than start_date")
        return self


class GoalChanges(Changes):
    """What a PATCH may change; the scope never. A null date is open."""

    metric: GoalMetric = unsent()
    period: GoalPeriod = unsent()
    target_value: Target = unsent()
    is_active: Flag = unsent()
    start_date: Day | None = unsent()
    end_date: Day | None = unsent()
    expected_version: Version | None = EXPECTED


class Goal(BaseModel):
    """A goal as it is now."""

    id: UUID
    creator_id: UUID
    project_id: UUID
    metric: GoalMetric
    period: GoalPeriod
    target_value: int
    start_date: date | None
    end_date: date | None
    is_active: bool
    platform_scope: PlatformScope
    platform: Platform | None
    account_id: UUID | None


class VersionedGoal(Goal):
    """A goal as its own endpoints answer it."""

    version: str = Field(description="Of what a PATCH may change")
