"""Parameters and answers of comments and what they say (contract, Video comments and Projects)."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.days import DayRangeQuery
from serving_api.kit.envelope import PageMeta
from serving_api.kit.schemas import Body, Flag, Search
from warehouse.platforms import TrackedPlatform
from warehouse.reading.comments.listing import Sort
from warehouse.reading.comments.scope import Signal
from warehouse.reading.comments.summary import Bucket, CreatorSort
from warehouse.scrape_jobs.comment_delays import Delay

MAX_HANDLED = 100
Sentiment = Literal["positive", "neutral", "negative"]
SignalFilter = Literal[Signal, "flagged"]
Delays = Annotated[
    dict[Delay, int] | None,
    Field(
        description="Where there is nothing to show: how many posts of the project (on the "
        "platform asked for, whatever campaign or creator) nothing was collected of yet, by what "
        "they wait for, in the words of a video's `not_collected`. Null where there is something"
    ),
]


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
    handled: bool | None = Field(
        default=None, description="Those that somebody has handled, or those that nobody has"
    )
    limit: int = Field(default=50, ge=1, le=100)
    cursor: str | None = Field(
        default=None, description="`meta.nextCursor` of the page before, unchanged"
    )


class SignalsQuery(ProjectScopeQuery):
    """What to sum up, in which buckets, and how creators are ranked."""

    bucket: Literal["auto", Bucket] = Field(
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
    handled_at: datetime | None = Field(description="Null while nobody has handled it")
    handled_by: UUID | None


class CommentHandling(Body):
    """Whether comments have been handled."""

    comment_ids: list[UUID] = Field(min_length=1, max_length=MAX_HANDLED)
    handled: Flag


class ManyHandled(BaseModel):
    """How many of the comments are as asked now, and the ids that were not to be found."""

    updated: int
    not_found_ids: list[UUID]


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
    scored_share: float | None = Field(
        ge=0, le=1, description="The scored of all, four decimals; null without comments"
    )


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
        "`not_published` (no pass has published how many comments there are, or what it crawled "
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
