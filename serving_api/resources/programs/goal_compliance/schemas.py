"""Filters and answers of goal compliance (contract, Goals)."""

from collections.abc import Mapping
from datetime import date, datetime
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.schemas import Day, Platform
from serving_api.resources.analytics.forecast_accuracy import ForecastAccuracy
from serving_api.resources.programs.goals.schemas import Goal
from warehouse.reading.goal_forecasts import GoalHidden, Outlook
from warehouse.reading.goals import GoalMetric, GoalPeriod, GoalStatus


class DayQuery(BaseModel):
    """Which periods: those that hold the day."""

    period: GoalPeriod | None = Field(default=None, description="Default: all")
    reference_date: Day | None = Field(
        default=None, description="Default, and at most: today in the organization's zone"
    )


class ComplianceQuery(DayQuery):
    """Whose goals, and which periods."""

    creator_id: UUID | None = None
    platform: Platform | None = Field(
        default=None, description="Creators that have an account on it"
    )


class CountsQuery(DayQuery):
    """Which project's goals are counted, and in which periods."""

    project_id: UUID


class JudgedCreator(BaseModel):
    """Whose goals they are."""

    id: UUID
    handle: str | None
    display_name: str | None
    avatar_url: str | None


class UnscrapedAccount(BaseModel):
    """An account that was not scraped for too long; null: never."""

    account_id: UUID
    platform: Platform
    handle: str
    last_scraped_at: datetime | None


class ScrapeFreshness(BaseModel):
    """Which accounts in the goal's scope are stale."""

    stale_after_hours: int
    stale_accounts: list[UnscrapedAccount]


class Advisory(BaseModel):
    """What to bear in mind, by the clock of the request. Hours have one decimal.

    `has_advisory` is true only where the period ended within 48 hours.
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
    """What a goal is expected to come to by its period's end, in its own unit.

    `on_course`: even the interval's lower end meets the target; `out_of_reach`: not even its upper
    end does; `at_risk`: the target lies between them.
    """

    expected: int | None = Field(
        description="Null where forecasts did not prove better than the baseline, as `low`, `high`"
        " and `outlook`"
    )
    low: int | None = Field(description="Lower end of the 80% interval")
    high: int | None = Field(description="Upper end of it")
    baseline: int | None = Field(
        description="As in the last seven whole days; null where nothing is known of them"
    )
    outlook: Outlook | None
    hidden_because: GoalHidden | None = Field(description="Why it is not shown; null where it is")
    accuracy: ForecastAccuracy = Field(
        description="How forecasts of what creators still bring did; of other goals there are none"
    )


class Compliance(BaseModel):
    """How a goal stands in the period. Null: no publication has looked at the goal yet."""

    goal: Goal
    target: int
    actual: int | None
    percentage: float | None = Field(description="One decimal, not capped")
    status: GoalStatus | None
    forecast: ForecastOfGoal | None = Field(description="Null of periods that are over or to come")
    advisory: Advisory


class CreatorCompliance(BaseModel):
    """A creator with its goals."""

    creator: JudgedCreator
    compliance: list[Compliance]


class ComplianceMeta(BaseModel):
    """Of which zone and day the periods are."""

    org_tz: str
    reference_date: date


class ComplianceAnswer(BaseModel):
    """The goals of a project's creators."""

    data: list[CreatorCompliance]
    error: None = None
    meta: ComplianceMeta


class Counts(BaseModel):
    """How many goals have each status; those not started or not computed yet are left out."""

    on_track: int = 0
    behind_pace: int = 0
    at_risk: int = 0
    completed: int = 0
    missed: int = 0
    total: int = 0


class ComplianceCounts(Counts):
    """The same by metric and by kind of period."""

    by_metric: Mapping[GoalMetric, Counts]
    by_period: Mapping[GoalPeriod, Counts]


class CountsAnswer(BaseModel):
    """The goals of a project, counted."""

    data: ComplianceCounts
    error: None = None
    meta: ComplianceMeta
