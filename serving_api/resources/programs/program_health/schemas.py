"""Parameters and answers of program health (contract, Projects and program health)."""

from datetime import date, datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.envelope import Answer
from serving_api.resources.comments.collected.signal_schemas import FlagCounts
from serving_api.resources.payouts.assignments.overlaps import PaidTwice
from serving_api.resources.programs.program_health.gap_schemas import (
    AccountRef,
    DisabledWebhook,
    OddPayment,
    OverdueDispute,
    ReachedBudget,
    TrackingGaps,
    UnreadViews,
)
from warehouse.reading.goals import GoalMetric, GoalPeriod

Range = Literal["7d", "14d", "30d", "90d"]
Level = Literal["ok", "warn", "bad"]
SignalName = Literal["active_creators", "views", "posts_week_over_week", "scrape_freshness"]
Status = Literal["healthy", "at-risk", "degraded"]


class HealthQuery(BaseModel):
    """The campaign and number of days of program health."""

    campaign_id: UUID | None = Field(
        default=None, description="A campaign of the project, including its sub-campaigns"
    )
    range: Range = "30d"


class CampaignRef(BaseModel):
    """A campaign."""

    id: UUID
    name: str


class Window(BaseModel):
    """The window and as many days before it, inclusive, in the organization's timezone."""

    from_: date = Field(alias="from")
    to: date
    prior_from: date
    prior_to: date
    days: int
    tz: str


class Signal(BaseModel):
    """One of the four signals behind the status. The value is null if unknown."""

    signal: SignalName
    level: Level = Field(description="`warn` also if one of the compared values is unknown")
    value: int | float | None
    prior: int | None = Field(
        description="The value it is compared with. Null if unknown, and for `scrape_freshness`"
    )
    detail: str


class Health(BaseModel):
    """Two `bad` signals mean degraded; one `bad` or two `warn` mean at-risk."""

    status: Status
    signals: list[Signal]


class Kpis(BaseModel):
    """Figures of the counted posts of the window. Null: unknown or not defined.

    `scrape_freshness` is the percentage of active accounts whose profile was scraped in the last
    28 hours; `engagement_rate` is a percentage of views.
    """

    views_on_window_posts: int | None
    posts_in_window: int | None
    posts_this_week: int | None
    active_creators: int | None
    scrape_freshness: float | None
    engagement_rate: float | None


class CreatorRef(BaseModel):
    """A creator and the handle of its primary account."""

    creator_id: UUID
    display_name: str | None
    handle: str | None


class StaleCreator(CreatorRef):
    """A creator whose last counted post is at least 14 days old."""

    last_posted_at: datetime
    days_since_last_post: int


class Performer(CreatorRef):
    """A creator's posts of the window and their views."""

    posts: int
    views: int
    views_per_post: float
    engagement_rate: float | None


class RosterChurn(BaseModel):
    """Number of creators added and removed in the window."""

    added: int
    removed: int


class EngagementRateDrop(BaseModel):
    """The rate of the window's posts is under 80% of the prior window's."""

    current: float
    prior: float
    change_pct: float


class ViewDrop(BaseModel):
    """A video that gained under 30% in the last 3 days of what it gained in the 3 days before.

    Only views gained while tracked count, not those of an older post at its first reading.
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
    """A deactivated creator."""

    deactivated_at: datetime


class Alerts(BaseModel):
    """Alerts. Lists have up to 25 items; null means that it could not be checked."""

    roster_churn: RosterChurn
    engagement_rate_drop: EngagementRateDrop | None
    sudden_view_drops: list[ViewDrop]
    unread_views: list[UnreadViews] = Field(
        description="Videos whose views are older than their other counters, or were never read."
        " The longest unread comes first"
    )
    tracking_gaps: TrackingGaps
    private_accounts: list[AccountRef]
    disabled_creators: list[DisabledCreator]
    over_posting: list[OverPosting] | None
    comment_flags: FlagCounts | None = Field(
        description="Flags of the last 7 days. Null on plans without comments"
    )
    disabled_webhooks: list[DisabledWebhook] = Field(
        description="Endpoints of the whole organization. The latest comes first"
    )
    overdue_disputes: list[OverdueDispute] = Field(
        description="Not corrected or rejected within seven days. The oldest comes first"
    )
    odd_payments: list[OddPayment] = Field(
        description="For rules with `hold_anomalies`: amounts whose anomalies were found after the"
        " payment. The latest comes first"
    )
    paid_twice: list[PaidTwice] = Field(
        description="Creators whom several rules pay for the same views today"
    )
    reached_budgets: list[ReachedBudget] = Field(
        description="Budgets of the project, or of the campaign. The oldest comes first"
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
    """A goal that is under 70% of what is due by now. `percentage` is of the target."""

    goal_id: UUID
    metric: GoalMetric
    period: GoalPeriod
    target: int
    actual: int
    percentage: float


class GoalHealth(BaseModel):
    """Number of goals on track and at risk now, and missed in their last period of the window."""

    on_track: int
    at_risk: int
    missed: int
    at_risk_goals: list[AtRiskGoal] = Field(description="Up to 8, the furthest behind first")


class ProgramHealth(BaseModel):
    """Health of a project or campaign."""

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
    """When this was computed, and the `as_of` of its publication (null before the first)."""

    computed_at: datetime
    as_of: datetime | None


class ProgramHealthAnswer(Answer[ProgramHealth, HealthMeta]):
    pass
