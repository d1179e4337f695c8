"""Filters and answers of goal compliance (contract, Goals)."""

from collections.abc import Mapping
from datetime import date, datetime
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.envelope import Answer
from serving_api.kit.schemas import Day, Platform
from serving_api.resources.programs.goals.schemas import Goal
from warehouse.reading.goal_forecasts import GoalHidden, Outlook
from warehouse.reading.goals import GoalMetric, GoalPeriod, GoalStatus


class DayQuery(BaseModel):
    """Selects the periods that contain a day."""

    period: GoalPeriod | None = Field(default=None, description="Defaults to all periods")
    reference_date: Day | None = Field(
        default=None,
        description="Defaults to today in the organization's timezone, which is also the latest",
    )


class ComplianceQuery(DayQuery):
    """Filters of goal compliance."""

    creator_id: UUID | None = None
    platform: Platform | None = Field(
        default=None, description="Only creators with an account on this platform"
    )


class CountsQuery(DayQuery):
    """The project and periods whose goals to count."""

    project_id: UUID


class JudgedCreator(BaseModel):
    """The creator of the goals."""

    id: UUID
    handle: str | None
    display_name: str | None
    avatar_url: str | None


class UnscrapedAccount(BaseModel):
    """An account that was not scraped for too long. Null: never."""

    account_id: UUID
    platform: Platform
    handle: str
    last_scraped_at: datetime | None


class ScrapeFreshness(BaseModel):
    """The stale accounts in the goal's scope."""

    stale_after_hours: int
    stale_accounts: list[UnscrapedAccount]


class Advisory(BaseModel):
    """Notes on the reliability of the figures, by the clock of the request. Hours have one decimal.

    `has_advisory` is true only if the period ended within the last 48 hours.
    """

    has_advisory: bool
    period_in_progress: bool
    period_recently_ended: bool
    scrape_stale: bool
    not_yet_started: bool
    period_start: date
    period_end: date = Field(description="Inclusive")
    hours_until_period_end: float | None
    hours_since_period_end: float | None
    scrape_freshness: ScrapeFreshness | None
    goal_start_date: date | None
    messages: list[str] = Field(description="One for each flag that is true")


class ForecastOfGoal(BaseModel):
    """The forecast of a goal at the end of its period, in the goal's unit.

    `on_course`: even the interval's lower end meets the target; `out_of_reach`: not even its upper
    end does; `at_risk`: the target lies between them.
    """

    expected: int | None = Field(
        description="Null, like `low`, `high` and `outlook`, if there is no forecast"
    )
    low: int | None = Field(description="Lower end of the 80% interval")
    high: int | None = Field(description="Upper end of the 80% interval")
    baseline: int | None = Field(
        description="Continues the last seven whole days. Null if they are unknown"
    )
    outlook: Outlook | None
    hidden_because: GoalHidden | None = Field(
        description="Why there is no forecast. Null if there is one"
    )


class Compliance(BaseModel):
    """A goal's status in the period. Null: no publication has evaluated the goal yet."""

    goal: Goal
    target: int
    actual: int | None
    percentage: float | None = Field(description="One decimal, not capped")
    status: GoalStatus | None
    forecast: ForecastOfGoal | None = Field(description="Null for past and future periods")
    advisory: Advisory


class CreatorCompliance(BaseModel):
    """A creator with its goals."""

    creator: JudgedCreator
    compliance: list[Compliance]


class ComplianceMeta(BaseModel):
    """The timezone and day of the periods."""

    org_tz: str
    reference_date: date


class ComplianceAnswer(Answer[list[CreatorCompliance], ComplianceMeta]):
    """The goals of a project's creators."""


class Counts(BaseModel):
    """Number of goals by status.

    Goals that have not started or were not computed yet are left out.
    """

    on_track: int = 0
    behind_pace: int = 0
    at_risk: int = 0
    completed: int = 0
    missed: int = 0
    total: int = 0


class ComplianceCounts(Counts):
    """Number of goals by status, also by metric and period."""

    by_metric: Mapping[GoalMetric, Counts]
    by_period: Mapping[GoalPeriod, Counts]


class CountsAnswer(Answer[ComplianceCounts, ComplianceMeta]):
    """The number of goals of a project."""
