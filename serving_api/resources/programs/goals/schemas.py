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
    """A new goal. Only whole periods are evaluated.

    Dates are days in the organization's timezone. An account must be the creator's.
    """

    metric: GoalMetric
    period: GoalPeriod
    target_value: Target
    start_date: Day | None = Field(
        default=None,
        description="The first period that counts starts on this day or later. At most a year ago",
    )
    end_date: Day | None = Field(
        default=None, description="The last period that counts ends on this day or earlier"
    )

    @model_validator(mode="after")
    def _days_in_order(self) -> Self:
        if self.start_date and self.end_date and self.end_date < self.start_date:
            raise ValueError("end_date must not be earlier than start_date")
        return self


class GoalChanges(Changes):
    """Changes to a goal, except its scope. A null date means no limit."""

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
    """A goal with the version of its fields."""

    version: str = Field(description="Version of the fields that a PATCH can change")
