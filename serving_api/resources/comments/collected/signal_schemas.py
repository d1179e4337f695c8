"""Summaries of comments: signals, sentiment and flags (contract, Projects)."""

from datetime import date
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.envelope import Answer
from serving_api.resources.comments.collected.schemas import (
    Comment,
    Delays,
    ProjectComment,
    SentimentCounts,
    SignalCounts,
)
from warehouse.reading.comments.summary import Bucket

Share = Annotated[float, Field(ge=0, le=1)]

_PER_1K = "Comments of the range per 1,000 views gained in it. Null without views"
_SHARE = "Share of positive among scored comments, 0 to 1. Null below 20 scored comments"


class CollectedTotals(BaseModel):
    """Totals of all counted posts in scope, for all days."""

    collected_comment_total: int
    platform_comment_total: int | None = Field(description="Total of the platforms. Null: unknown")


class CreatorSignals(BaseModel):
    """Summary of the comments in the range under a creator's posts."""

    creator_id: UUID
    creator_handle: str | None
    display_name: str | None
    comments: int
    comments_per_1k_views: float | None = Field(description=_PER_1K)
    positive_share: Share | None = Field(description=_SHARE)
    sentiment: SentimentCounts
    signals: SignalCounts
    top_comment: Comment | None = Field(description="The comment with the most likes")


class SignalsPoint(BaseModel):
    """A bucket, identified by its first day: a day, a week from Monday, or a month."""

    bucket_start: date
    comments: int
    sentiment: SentimentCounts
    signals: SignalCounts


class LanguageSentiment(BaseModel):
    """Sentiment of the range's comments in one language, and how many could be scored."""

    language: str | None = Field(
        description="ISO 639-1; `zxx`: no words; `und`: undetermined; null: not detected yet",
        examples=["en"],
    )
    comments: int
    sentiment: SentimentCounts


class CommentSignals(BaseModel):
    """Summary of a project's comments."""

    project_id: UUID
    summary: CollectedTotals
    sentiment: SentimentCounts
    languages: list[LanguageSentiment] = Field(description="Most comments first")
    signals: SignalCounts
    creators: list[CreatorSignals]
    timeseries: list[SignalsPoint]


class DayWindow(BaseModel):
    """First and last day, inclusive, in the organization's timezone."""

    from_: date = Field(alias="from")
    to: date


class SignalsMeta(BaseModel):
    """Number of creators with comments in the range, and the days and buckets used."""

    creator_total: int
    bucket: Bucket
    range: DayWindow
    timezone: str
    not_collected: Delays


class CommentSignalsAnswer(Answer[CommentSignals, SignalsMeta]):
    """Summary of a project's comments."""


class ShareDrop(BaseModel):
    """A creator whose share of positive comments fell by 20 points or more."""

    creator_id: UUID
    creator_handle: str | None
    display_name: str | None
    recent_positive_share: Share
    prior_positive_share: Share
    drop_points: float = Field(description="In percentage points")


class FlagCounts(BaseModel):
    """Number of flagged comments in a window, and the creators who lost approval in it."""

    ad_disclosure_count: int
    risk_count: int
    flagged_count: int = Field(description="Comments with either signal")
    positive_share_drops: list[ShareDrop] = Field(
        description="Creators with at least 20 scored comments in both windows, largest drop first"
    )
    range: DayWindow
    baseline_range: DayWindow = Field(description="The 30 days before")


class CommentFlags(FlagCounts):
    """Flags with the comments themselves."""

    comments: list[ProjectComment] = Field(description="Flagged comments, latest first")
    more_comments: int = Field(description="How many flagged comments are not listed")
