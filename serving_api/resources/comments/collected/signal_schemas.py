"""What comments say in sum: signals, sentiment and flags (contract, Projects)."""

from datetime import date
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.resources.comments.collected.schemas import (
    Comment,
    Delays,
    ProjectComment,
    SentimentCounts,
    SignalCounts,
)
from warehouse.reading.comments.summary import Bucket

Share = Annotated[float, Field(ge=0, le=1)]

_PER_1K = "Comments of the range for each 1,000 views gained in it; null without views"
_SHARE = "Positive ones of the scored, 0 to 1; null below 20 scored comments"


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


class LanguageSentiment(BaseModel):
    """How the comments of the range in one language feel, and how many of them could be scored."""

    language: str | None = Field(
        description="ISO 639-1; `zxx`: no words; `und`: undecided; null: not looked at yet",
        examples=["en"],
    )
    comments: int
    sentiment: SentimentCounts


class CommentSignals(BaseModel):
    """What a project's comments say."""

    project_id: UUID
    summary: CollectedTotals
    sentiment: SentimentCounts
    languages: list[LanguageSentiment] = Field(description="Those with the most comments first")
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
