"""Parameters and answers of comments and summaries (contract, Video comments and Projects)."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.days import DayRangeQuery
from serving_api.kit.envelope import Answer, PageMeta
from serving_api.kit.pagination import TextQuery
from serving_api.kit.schemas import Body, Flag
from warehouse.platforms import TrackedPlatform
from warehouse.reading.comments.listing import Sort
from warehouse.reading.comments.scope import Signal
from warehouse.reading.comments.summary import Bucket, CreatorSort
from warehouse.scrape_jobs.comment_targets import Delay

MAX_HANDLED = 100
Sentiment = Literal["positive", "neutral", "negative"]
SignalFilter = Literal[Signal, "flagged"]
Delays = Annotated[
    dict[Delay, int] | None,
    Field(
        description="If there are no comments: how many posts of the project (on the requested "
        "platform, for any campaign or creator) have no collected comments yet, by reason, with "
        "the values of a video's `not_collected`. Otherwise null"
    ),
]


class CommentFilters(TextQuery):
    """Filters and order of comments."""

    sort: Sort = Field(default="top", description="`top`: most likes first")
    signal: SignalFilter | None = Field(
        default=None, description="`flagged`: `ad_disclosure` or `risk`"
    )
    sentiment: Sentiment | None = None


class VideoCommentsQuery(CommentFilters):
    """Filters of a post's comments. They only filter `comments`."""

    limit: int = Field(default=100, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=2**31 - 1)


class ProjectScopeQuery(DayRangeQuery):
    """Scope of a project's comments.

    Days are when they were written, in the organization's timezone.
    """

    campaign_id: UUID | None = Field(
        default=None, description="Of the project; sub-campaigns included"
    )
    platform: TrackedPlatform | None = None


class ProjectCommentsQuery(ProjectScopeQuery, CommentFilters):
    """Filters of a project's comments."""

    creator_id: UUID | None = None
    handled: bool | None = Field(
        default=None, description="Whether a member marked them as handled"
    )
    limit: int = Field(default=50, ge=1, le=100)
    cursor: str | None = Field(default=None, description="`meta.nextCursor` of the previous page")


class SignalsQuery(ProjectScopeQuery):
    """Scope, buckets and order of comment signals."""

    bucket: Literal["auto", Bucket] = Field(
        default="auto", description="`auto`: days up to 31 days, weeks up to 26 weeks, then months"
    )
    creator_sort: CreatorSort = Field(
        default="comments_captured", description="Highest first. Creators without a value come last"
    )
    creator_limit: int = Field(default=50, ge=1, le=500)


class FlagsQuery(BaseModel):
    """The window of flags, which ends today, and how many comments to list."""

    days: int = Field(default=7, ge=1, le=30)
    campaign_id: UUID | None = Field(
        default=None, description="Of the project; sub-campaigns included"
    )
    platform: TrackedPlatform | None = None
    limit: int = Field(default=10, ge=1, le=50)


class Comment(BaseModel):
    """A comment as last seen. Sentiment is null in languages that are not scored."""

    id: UUID
    text: str = Field(description="Empty if the comment is only a picture")
    like_count: int | None = Field(description="Null if the platform does not show it")
    author_unique_id: str | None
    author_nickname: str | None
    created_at_tiktok: datetime | None = Field(
        description="When it was posted, on any platform. Null if the platform does not show it"
    )
    scraped_at: datetime
    sentiment: Sentiment | None
    sentiment_score: float | None = Field(ge=-1, le=1)
    sentiment_model: str | None = Field(description="Name and version of the model that scored it")
    signals: list[Signal]


class ProjectComment(Comment):
    """A comment and its post."""

    video_id: UUID
    video_url: str
    platform: TrackedPlatform
    caption: str | None
    video_posted_at: datetime | None
    creator_id: UUID | None
    creator_handle: str | None
    handled_at: datetime | None = Field(description="Null if not handled")
    handled_by: UUID | None


class CommentHandling(Body):
    """Whether comments are handled."""

    comment_ids: list[UUID] = Field(min_length=1, max_length=MAX_HANDLED)
    handled: Flag


class ManyHandled(BaseModel):
    """How many comments were updated, and the ids that were not found."""

    updated: int
    not_found_ids: list[UUID]


class SignalCounts(BaseModel):
    """How many comments have each signal; a comment may have several."""

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
    """How many comments have each sentiment."""

    positive: int
    neutral: int
    negative: int
    unscored: int = Field(description="Comments in languages that are not scored")
    scored_share: float | None = Field(
        ge=0, le=1, description="Share of scored comments, four decimals. Null without comments"
    )


class Coverage(BaseModel):
    """How many of the platform's comments are collected."""

    platform_comment_count: int | None = Field(description="Null while unknown")
    collected_count: int = Field(description="Collected comments that existed at the last crawl")
    last_collected_at: datetime | None
    min_comment_count: int = Field(description="Minimum number of comments for collection")


class VideoSummary(SentimentCounts):
    """A summary of all collected comments of a post, independent of filters."""

    signal_counts: SignalCounts


class VideoComments(BaseModel):
    """A post's comments."""

    video_id: UUID
    project_id: UUID
    platform: TrackedPlatform
    video_url: str
    coverage: Coverage | None = Field(description="Null if comments cannot be collected")
    not_collected: Delay | None = Field(
        description="Why no comments were collected yet: `not_tracked`, `too_young` (under three "
        "days), `not_published` (no pipeline run has published the number of comments or the "
        "crawled comments), `too_few` (below min_comment_count), `refused` (failed, will be "
        "retried), `due` (in the next pipeline run). Null once comments were collected, or if they "
        "cannot be"
    )
    summary: VideoSummary
    comments: list[Comment]


class OffsetMeta(BaseModel):
    """How many comments match, and the next page's offset (null on the last)."""

    total: int
    next_offset: int | None


class VideoCommentsAnswer(Answer[VideoComments, OffsetMeta]):
    """A page of a post's comments."""


class CommentsMeta(PageMeta):
    """The next page, and why the list is empty."""

    not_collected: Delays


class ProjectComments(Answer[list[ProjectComment], CommentsMeta]):
    """A page of a project's comments."""
