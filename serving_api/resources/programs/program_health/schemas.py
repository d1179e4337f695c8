"""Parameters and answers of program health (contract, Projects and program health)."""

from datetime import date, datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.resources.comments.collected.signal_schemas import FlagCounts
from serving_api.resources.organization.webhooks.schemas import DisabledReason
from serving_api.resources.programs.program_health.gap_schemas import AccountRef, TrackingGaps
from serving_api.resources.programs.program_health.payout_schemas import (
    OddPayment,
    OverdueDispute,
    ReachedBudget,
)
from warehouse.reading.goals import GoalMetric, GoalPeriod

Range = Literal["7d", "14d", "30d", "90d"]
Level = Literal["ok", "warn", "bad"]
SignalName = Literal["active_creators", "views", "posts_week_over_week", "scrape_freshness"]
Status = Literal["healthy", "at-risk", "degraded"]


class HealthQuery(BaseModel):
    """Of all posts or a campaign's, over how many days up to today."""

    campaign_id: UUID | None = Field(
        default=None, description="Of the project; sub-campaigns included"
    )
    range: Range = "30d"


class CampaignRef(BaseModel):
    """A campaign."""

    id: UUID
    name: str


class Window(BaseModel):
    """The days looked at and as many before them, both inclusive, in the organization's zone."""

    from_: date = Field(alias="from")
    to: date
    prior_from: date
    prior_to: date
    days: int
    tz: str


class Signal(BaseModel):
    """One of the four that the status follows from; the value is null while unknown."""

    signal: SignalName
    level: Level
    value: int | float | None
    detail: str


class Health(BaseModel):
    """Two `bad` are degraded; one `bad` or two `warn` at-risk."""

    status: Status
    signals: list[Signal]


class Kpis(BaseModel):
    """Over the counted posts of the window. Null: unknown, or there is nothing to divide by.

    `scrape_freshness` is the share of active accounts, in percent, whose profile was scraped in the
    last 28 hours; `engagement_rate` is in percent of the views.
    """

    views_on_window_posts: int | None
    posts_in_window: int | None
    posts_this_week: int | None
    active_creators: int | None
    scrape_freshness: float | None
    engagement_rate: float | None


class CreatorRef(BaseModel):
    """A creator, and the handle that it is named by."""

    creator_id: UUID
    display_name: str | None
    handle: str | None


class StaleCreator(CreatorRef):
    """A creator whose last counted post is at least 14 days old."""

    last_posted_at: datetime
    days_since_last_post: int


class Performer(CreatorRef):
    """A creator's posts of the window and the views on them."""

    posts: int
    views: int
    views_per_post: float
    engagement_rate: float | None


class RosterChurn(BaseModel):
    """Creators that were added and removed in the window."""

    added: int
    removed: int


class EngagementRateDrop(BaseModel):
    """The rate on the window's posts is under 80% of that on the prior window's."""

    current: float
    prior: float
    change_pct: float


class ViewDrop(BaseModel):
    """A video that gained under 30% in the last 3 days of what it gained in the 3 days before.

    While tracked: what an older post had when its views were first known is no gain.
    """

    video_id: UUID
    label: str
    creator_id: UUID | None
    recent_views: int
    prior_views: int
    change_pct: float


class OverPosting(AccountRef):
    """An account with more than twice its own median posts a day over the last 3 days."""

    recent_posts: int
    median_posts_per_day: float


class DisabledCreator(CreatorRef):
    """A creator that is deactivated."""

    deactivated_at: datetime


class DisabledWebhook(BaseModel):
    """A webhook endpoint of the organization that was disabled, and not by a person.

    Its address is for org admins alone (`GET /webhook-endpoints/{endpoint_id}`).
    """

    endpoint_id: UUID
    description: str | None
    disabled_reason: DisabledReason
    disabled_at: datetime
    last_success_at: datetime | None = Field(description="When it last took a message")
    detail: str = Field(description="What happened, and what an org admin does about it")


class Alerts(BaseModel):
    """What needs a look. Lists hold up to 25; a null one could not be checked."""

    roster_churn: RosterChurn
    engagement_rate_drop: EngagementRateDrop | None
    sudden_view_drops: list[ViewDrop]
    tracking_gaps: TrackingGaps
    private_accounts: list[AccountRef]
    disabled_creators: list[DisabledCreator]
    over_posting: list[OverPosting] | None
    comment_flags: FlagCounts | None = Field(
        description="Of the last 7 days; null on plans without comments"
    )
    disabled_webhooks: list[DisabledWebhook] = Field(
        description="Of the organization, whichever the project; the latest first"
    )
    overdue_disputes: list[OverdueDispute] = Field(
        description="Neither corrected nor rejected within seven days; the oldest first"
    )
    odd_payments: list[OddPayment] = Field(
        description="Of rules with `hold_anomalies`: in a payment before readings behind them were"
        " found to be odd; the latest first"
    )
    reached_budgets: list[ReachedBudget] = Field(
        description="Of the project, the oldest first; where a campaign is asked for, its own"
    )


class ActiveCampaign(BaseModel):
    """A campaign with a counted post in the window."""

    id: UUID
    name: str
    target_views: int | None
    target_at: datetime | None
    posts_in_window: int
    views_on_window_posts: int | None


class AtRiskGoal(CreatorRef):
    """A goal that is under 70 % of what is due by now; the percentage is of the target."""

    goal_id: UUID
    metric: GoalMetric
    period: GoalPeriod
    target: int
    actual: int
    percentage: float


class GoalHealth(BaseModel):
    """Goals that are on track or at risk now, and that missed their last period of the window."""

    on_track: int
    at_risk: int
    missed: int
    at_risk_goals: list[AtRiskGoal] = Field(description="Up to 8, the furthest behind first")


class ProgramHealth(BaseModel):
    """How a project, or a campaign of it, does."""

    project_id: UUID
    campaign: CampaignRef | None
    range: Range
    window: Window
    health: Health
    kpis: Kpis
    stale_creators: list[StaleCreator]
    goal_compliance: GoalHealth | None = Field(description="Null before the first publication")
    alerts: Alerts
    top_performers: list[Performer]
    underperformers: list[Performer]
    active_campaigns: list[ActiveCampaign]


class HealthMeta(BaseModel):
    """When this was put together, and until when its numbers reach (null before the first)."""

    computed_at: datetime
    as_of: datetime | None


class ProgramHealthAnswer(BaseModel):
    """A success."""

    data: ProgramHealth
    error: None = None
    meta: HealthMeta
