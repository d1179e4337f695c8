"""Bodies, filters and answers of accounts (contract, Account and Accounts)."""

from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
)

from serving_api.kit.counters import ViewCoverage
from serving_api.kit.days import DayRangeQuery
from serving_api.kit.pagination import PageQuery, TextQuery, UpdatedQuery
from serving_api.kit.schemas import Body, Changes, Day, Flag, Platform, Search, Text, unsent
from serving_api.resources.programs.tags.repository import TagFilter
from serving_api.resources.programs.tags.schemas import TagLabel
from serving_api.resources.tracking.connections.schemas import Connection
from warehouse.registration.hashtags import normalize_hashtags

MAX_HASHTAGS = 50
MAX_HASHTAG_LENGTH = 100

TrackingMode = Literal["auto", "selective", "hashtag"]
AccountStatus = Literal["active", "deactivated", "all"]
VideoChoice = Literal["keep_tracking", "freeze", "stop_tracking"]
AccountJobType = Literal["creator_profiles", "video_stats", "discover_videos"]


def _normalized(written: list[str]) -> list[str]:
    tags = list(dict.fromkeys(tag for text in written for tag in normalize_hashtags(text)))
    if len(tags) > MAX_HASHTAGS:
        raise ValueError(f"at most {MAX_HASHTAGS} hashtags")
    if any(len(tag) > MAX_HASHTAG_LENGTH for tag in tags):
        raise ValueError(f"each hashtag must be at most {MAX_HASHTAG_LENGTH} characters")
    return tags


Hashtags = Annotated[list[Text], Field(max_length=1000), AfterValidator(_normalized)]
"""Tracked hashtags as written: each text may have several, separated by spaces or commas."""
Handle = Annotated[Text, StringConstraints(min_length=1, max_length=200)]
"""A handle, with or without `@`, or a profile URL of the account's platform."""


class NewAccount(Body):
    """An account to track."""

    platform: Platform
    handle: Handle
    tracking_mode: TrackingMode = "auto"
    tracking_hashtags: Hashtags = Field(default_factory=list, validate_default=True)
    hashtag_inbox_non_matching: Flag = True
    tracking_start_date: Day | None = Field(
        default=None, description="Defaults to today in the organization's timezone"
    )
    tracking_end_date: Day | None = Field(default=None, description="Inclusive. Null: no end")

    @field_validator("tracking_hashtags")
    @classmethod
    def _where_the_mode_needs_them(cls, tags: list[str], info: ValidationInfo) -> list[str]:
        if info.data.get("tracking_mode") == "hashtag" and not tags:
            raise ValueError("must not be empty with tracking_mode 'hashtag'")
        return tags


class AccountChanges(Changes):
    """Changes to an account. A null date clears it."""

    handle: Handle = unsent()
    tracking_mode: TrackingMode = unsent()
    tracking_hashtags: Hashtags = unsent()
    hashtag_inbox_non_matching: Flag = unsent()
    tracking_start_date: Day | None = unsent()
    tracking_end_date: Day | None = unsent()


class ScrapeRequest(Body):
    """The kind of scrape."""

    job_type: AccountJobType = "discover_videos"


class AccountQuery(TextQuery, TagFilter, UpdatedQuery):
    project_id: UUID | None = None
    creator_id: UUID | None = None
    platform: Platform | None = None
    search: Search | None = Field(
        default=None, description="Part of the handle, any case, or a profile's URL"
    )
    status: AccountStatus = "active"


class StatsQuery(PageQuery, DayRangeQuery):
    """Filters of an account's counters. Days are in the organization's timezone."""


class AccountStats(BaseModel):
    """An account's counters at an instant. Null: the platform did not show the counter."""

    captured_at: datetime
    follower_count: int | None
    following_count: int | None
    total_likes_count: int | None
    video_count: int | None


class VideoCounts(BaseModel):
    """How many videos of a deactivated account are no longer updated."""

    frozen: int
    stopped: int


class Deactivation(BaseModel):
    """Why and how an account was deactivated."""

    deactivated_at: datetime
    deactivated_by: UUID | None
    video_choice: VideoChoice | None
    reason: str | None
    via_creator: bool


class DeactivationDetail(Deactivation):
    """A deactivation with the number of videos that a reactivation decides about."""

    video_counts: VideoCounts


class AccountCountersAsOf(BaseModel):
    """When each counter was last read. Null until known."""

    follower_count: datetime | None
    following_count: datetime | None
    total_likes_count: datetime | None
    video_count: datetime | None


class Account(BaseModel):
    """An account. Counters are the latest known, null while unknown or if the platform has none.

    `is_active` is false once removed; it is true for a deactivated account.
    """

    id: UUID
    creator_id: UUID
    project_id: UUID
    org_id: UUID
    platform: Platform
    handle: str
    platform_user_id: str | None
    display_name: str | None
    avatar_url: str | None
    bio_link: str | None
    follower_count: int | None
    following_count: int | None
    total_likes_count: int | None
    video_count: int | None
    tracking_mode: TrackingMode
    tracking_hashtags: list[str]
    hashtag_inbox_non_matching: bool
    tracking_start_date: date | None
    tracking_end_date: date | None
    is_active: bool
    deactivation: Deactivation | None
    deactivated_at: datetime | None
    deactivated_by: UUID | None
    deactivated_via_cascade: bool
    deactivation_video_choice: VideoChoice | None
    deactivation_reason: str | None
    last_scraped_at: datetime | None
    tags: list[TagLabel]
    created_at: datetime
    updated_at: datetime
    counters_as_of: AccountCountersAsOf


class AccountDetail(Account):
    """One account with its connection and the video counts of its deactivation.

    `connected` is true if the creator connected it and the consent is in force.
    """

    deactivation: DeactivationDetail | None
    view_coverage: ViewCoverage | None = Field(description="Null if no reading was due")
    connected: bool
    connection: Connection | None = Field(description="Null if the account is not connected")


class AccountScrape(BaseModel):
    """A queued scrape."""

    job_type: AccountJobType
    account_id: UUID
    job_id: UUID
