"""Parameters and answers of comments and what they say (contract, Video comments and Projects)."""

from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.day_range import DayRangeQuery
from serving_api.kit.envelope import PageMeta
from serving_api.kit.schemas import Search
from warehouse.platforms import TrackedPlatform
from warehouse.reading.comments.listing import Sort
from warehouse.reading.comments.scope import Signal
from warehouse.reading.comments.summary import Bucket, CreatorSort
from warehouse.scrape_jobs.comment_delays import Delay

Sentiment = Literal["positive", "neutral", "negative"]
SignalFilter = Signal | Literal["flagged"]
Delays = Annotated[
    dict[Delay, int] | None,
    Field(
        description="Where there is nothing to show: how many posts of the project (on the "
        "platform asked for, whatever campaign or creator) nothing was collected of yet, by what "
        "they wait for, in the words of a video's `not_collected`. Null where there is something"
    ),
]
Share = Annotated[float, Field(ge=0, le=1)]

_PER_1K = "Comments of the range for each 1,000 views gained in it; null without views"
_SHARE = "Positive ones of the scored, 0 to 1; null below 20 scored comments"


class CommentFilters(BaseModel):
    """Which comments, and in which order."""

    sort: Sort = Field(default="top", description="`top`: most likes first")
    signal: SignalFilter | None = Field(
        default=None, description="`flagged`: `ad_disclosure` or `risk`"
    )
    sentiment: Sentiment | None = None
    q: Search | None = Field(default=None, description="Part of the text, in any case")


class VideoCommentsQuery(CommentFilters):
    """Which of a post's comments. They filter `comments` alone."""

    limit: int = Field(default=100, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=2**31 - 1)


class ProjectScopeQuery(DayRangeQuery):
    """Days of the organization's zone on which comments were written, and under whose posts."""

    campaign_id: UUID | None = Field(
        default=None, description="Of the project; sub-campaigns included"
    )
    platform: TrackedPlatform | None = None


class ProjectCommentsQuery(ProjectScopeQuery, CommentFilters):
    """Which of a project's comments."""

    creator_id: UUID | None = None
    limit: int = Field(default=50, ge=1, le=100)
    cursor: str | None = Field(
        default=None, description="`meta.nextCursor` of the page before, unchanged"
    )


class SignalsQuery(ProjectScopeQuery):
    """What to sum up, in which buckets, and how creators are ranked."""

    bucket: Literal["auto"] | Bucket = Field(
        default="auto", description="`auto`: days up to 31 days, weeks up to 26, months beyond"
    )
    creator_sort: CreatorSort = Field(
        default="comments_captured", description="Highest first, creators without a value last"
    )
    creator_limit: int = Field(default=50, ge=1, le=500)


class FlagsQuery(BaseModel):
    """The window, which ends today, and how many flagged comments to show."""

    days: int = Field(default=7, ge=1, le=30)
    campaign_id: UUID | None = Field(
        default=None, description="Of the project; sub-campaigns included"
    )
    platform: TrackedPlatform | None = None
    limit: int = Field(default=10, ge=1, le=50)


class Comment(BaseModel):
    """A comment as last seen. Sentiment is null in languages that are not scored."""

    id: UUID
    text: str = Field(description="Empty where the comment is a picture alone")
    like_count: int | None = Field(description="Null where the platform does not show it")
    author_unique_id: str | None
    author_nickname: str | None
    created_at_tiktok: datetime | None = Field(
        description="When it was posted, on every platform; null where that is not shown"
    )
    scraped_at: datetime
    sentiment: Sentiment | None
    sentiment_score: float | None = Field(ge=-1, le=1)
    sentiment_model: str | None = Field(description="Name and version of what scored it")
    signals: list[Signal]


class ProjectComment(Comment):
    """A comment and the post it stands under."""

    video_id: UUID
    video_url: str
    platform: TrackedPlatform
    caption: str | None
    video_posted_at: datetime | None
    creator_id: UUID | None
    creator_handle: str | None


class SignalCounts(BaseModel):
    """How many comments have each signal; one may have several."""

    app_question: int
    signup_intent: int
    ad_disclosure: int
    risk: int
    pay_talk: int
    brand_mention: int
    competitor: int
    referral_spam: int
    flagged: int = Field(description="`ad_disclosure` or `risk`")


class SentimentCounts(BaseModel):
    """How many comments feel how."""

    positive: int
    neutral: int
    negative: int
    unscored: int = Field(description="In languages that are not scored")


class Coverage(BaseModel):
    """How much of what the platform counts is collected."""

    platform_comment_count: int | None = Field(description="Null while unknown")
    collected_count: int = Field(description="Collected, and still there when last looked")
    last_collected_at: datetime | None
    min_comment_count: int = Field(description="From how many on comments are collected")


class VideoSummary(SentimentCounts):
    """All collected comments of a post, whatever is filtered."""

    signal_counts: SignalCounts


class VideoComments(BaseModel):
    """A post's comments."""

    video_id: UUID
    project_id: UUID
    platform: TrackedPlatform
    video_url: str
    coverage: Coverage | None = Field(description="Null where comments cannot be collected")
    not_collected: Delay | None = Field(
        description="Why nothing was collected yet: `not_tracked`, `too_young` (below three days), "
        "`not_published` (no pass has published how many comments there are, or what it walked "
        "through), `too_few` (below min_comment_count), `refused` (tried without success, and "
        "again later), `due` (the next pass). Null once something was, and where comments cannot "
        "be collected"
    )
    summary: VideoSummary
    comments: list[Comment]


class OffsetMeta(BaseModel):
    """How many comments the filters leave, and where the next page begins (null on the last)."""

    total: int
    next_offset: int | None


class VideoCommentsAnswer(BaseModel):
    """A page of a post's comments."""

    data: VideoComments
    error: None = None
    meta: OffsetMeta


class CommentsMeta(PageMeta):
    """Where the list goes on, and why it is empty."""

    not_collected: Delays


class ProjectComments(BaseModel):
    """A page of a project's comments."""

    data: list[ProjectComment]
    error: None = None
    meta: CommentsMeta


class CollectedTotals(BaseModel):
    """Under all counted posts in scope, whatever the day of a comment."""

    collected_comment_total: int
    platform_comment_total: int | None = Field(description="As the platforms count; null: unknown")


class CreatorSignals(BaseModel):
    """What the comments of the range under a creator's posts say."""

    creator_id: UUID
    creator_handle: str | None
    display_name: str | None
    comments: int
    comments_per_1k_views: float | None = Field(description=_PER_1K)
    positive_share: Share | None = Field(description=_SHARE)
    sentiment: SentimentCounts
    signals: SignalCounts
    top_comment: Comment | None = Field(description="The one with the most likes")


class SignalsPoint(BaseModel):
    """A bucket, named by its first day: a day, a week from Monday, a month."""

    bucket_start: date
    comments: int
    sentiment: SentimentCounts
    signals: SignalCounts


class CommentSignals(BaseModel):
    """What a project's comments say."""

    project_id: UUID
    summary: CollectedTotals
    sentiment: SentimentCounts
    signals: SignalCounts
    creators: list[CreatorSignals]
    timeseries: list[SignalsPoint]


class DayWindow(BaseModel):
    """Days, both inclusive, of the organization's zone."""

    from_: date = Field(alias="from")
    to: date


class SignalsMeta(BaseModel):
    """How many creators have comments in the range, and which days and buckets were summed."""

    creator_total: int
    bucket: Bucket
    range: DayWindow
    timezone: str
    not_collected: Delays


class CommentSignalsAnswer(BaseModel):
    """What a project's comments say in sum."""

    data: CommentSignals
    error: None = None
    meta: SignalsMeta


class ShareDrop(BaseModel):
    """A creator whose share of positive comments fell by 20 points or more."""

    creator_id: UUID
    creator_handle: str | None
    display_name: str | None
    recent_positive_share: Share
    prior_positive_share: Share
    drop_points: float = Field(description="Hundredths of a share")


class FlagCounts(BaseModel):
    """What there is to look at in a window of days, and who lost approval in it."""

    ad_disclosure_count: int
    risk_count: int
    flagged_count: int = Field(description="Comments with either")
    positive_share_drops: list[ShareDrop] = Field(
        description="At least 20 scored comments in both windows; the deepest fall first"
    )
    range: DayWindow
    baseline_range: DayWindow = Field(description="The 30 days before")


class CommentFlags(FlagCounts):
    """Flags with the comments themselves."""

    comments: list[ProjectComment] = Field(description="Flagged ones, the latest first")
    more_comments: int = Field(description="How many flagged ones are not shown")
