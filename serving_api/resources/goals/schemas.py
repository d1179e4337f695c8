"""Bodies and answers of goals (contract, Goal and Goals)."""

from datetime import date
from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, Field, StrictInt, model_validator

from serving_api.kit.schemas import Body, Changes, Day, Flag, Platform, unsent
from warehouse.reading.goals import GoalMetric, GoalPeriod, GoalScope

Target = Annotated[StrictInt, Field(gt=0, le=2**63 - 1)]

NAMED_BY: dict[str, str | None] = {"all": None, "platform": "platform", "account": "account_id"}
"""Which field each scope needs; it takes no other."""


class NewGoal(Body):
    """A goal to set. Dates are days of the organization's zone; only whole periods are judged."""

    metric: GoalMetric
    period: GoalPeriod
    target_value: Target
    start_date: Day | None = Field(
        default=None, description="First judged in the first period that starts then or later"
    )
    end_date: Day | None = Field(
        default=None, description="Last judged in the last period that ends then or earlier"
    )
    platform_scope: GoalScope | None = Field(default=None, description="Default `all`")
    platform: Platform | None = Field(default=None, description="With scope `platform` only")
    account_id: UUID | None = Field(
        default=None, description="With scope `account` only: an account of the creator"
    )

    @model_validator(mode="after")
    def _scope_fits(self) -> Self:
        needed = NAMED_BY[self.platform_scope or "all"]
        for name in ("platform", "account_id"):
            if (getattr(self, name) is not None) != (name == needed):
                verb = "needs" if name == needed else "takes no"
                raise ValueError(f"platform_scope {self.platform_scope or 'all'} {verb} {name}")
        if self.platform == "youtube":
            raise ValueError("platform youtube is not supported yet")
        return self

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
    platform_scope: GoalScope
    platform: Platform | None
    account_id: UUID | None
