"""Bodies, filters and answers of videos (contract, Video and Videos)."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints, Tag

from serving_api.kit.envelope import Answer
from serving_api.kit.pagination import PageQuery, TextQuery, UpdatedQuery
from serving_api.kit.schemas import (
    MANY,
    ONE,
    Batch,
    Body,
    Changes,
    Label,
    Metadata,
    Platform,
    Readme,
    Search,
    Text,
    one_or_many,
    unsent,
)
from serving_api.resources.programs.tags.repository import TagFilter
from serving_api.resources.programs.tags.schemas import TagLabel
from serving_api.resources.tracking.videos.tracking import Reason

TrackingStatus = Literal["auto_tracked", "pending_review", "included", "excluded", "direct_add"]


MAX_BATCH = 50
MAX_AT_ONCE = 200

Url = Annotated[Text, StringConstraints(min_length=1, max_length=2000)]


VideoIds = Annotated[list[UUID], Field(min_length=1, max_length=MAX_AT_ONCE)]


class NewVideo(Body):
    """A post to track, by its URL on a platform or a short link to it."""

    url: Url


class VideoBatch(Batch):
    """Posts to track."""

    videos: list[NewVideo] = Field(min_length=1, max_length=MAX_BATCH)


OneOrMany = Annotated[
    Annotated[NewVideo, Tag(ONE)] | Annotated[VideoBatch, Tag(MANY)], one_or_many("videos")
]


class VideoChanges(Changes):
    """Changes to a video. A null title resets it to the caption's."""

    title: Label | None = unsent()
    readme: Readme | None = unsent()
    tracking_status: TrackingStatus = unsent()


class NewestPostsQuery(PageQuery):
    """Sort order of lists of posts."""

    sort: Literal["created_at", "posted_at"] = Field(
        default="created_at",
        description="Newest first by this field. Posts without `posted_at` use `created_at`",
    )


class VideoQuery(TextQuery, TagFilter, UpdatedQuery):
    sort: Literal["created_at", "posted_at", "view_count", "like_count"] = Field(
        default="created_at",
        description="Newest first by this field (posts without `posted_at` use `created_at`), or"
        " most first. By a counter, all pages show the publication of the first, posts that it"
        " does not know are left out, and filters other than project, creator and platform may"
        " match 10,000 posts",
    )
    project_id: UUID | None = None
    creator_id: UUID | None = None
    account_id: UUID | None = None
    platform: Platform | None = None
    content_group_id: UUID | None = None
    search: Search | None = Field(
        default=None,
        description="Part of the caption, title or author's handle (case-insensitive), or the"
        " full id or URL of the post, here or on its platform",
    )


class PostedQuery(VideoQuery):
    """A list of posts at the desk, also of those posted from an instant to before another."""

    posted_from: datetime | None = None
    posted_before: datetime | None = None


class VideoCountersAsOf(BaseModel):
    """When each counter was last read. Null until known.

    A counter that is older than the others has not changed since because it could not be read.
    """

    view_count: datetime | None
    like_count: datetime | None
    comment_count: datetime | None
    share_count: datetime | None


class AllCountersAsOf(VideoCountersAsOf):
    """As VideoCountersAsOf, with the counter that lists leave out."""

    save_count: datetime | None


class Video(BaseModel):
    """A tracked post. Counters are the latest known, null until known or if the platform has none.

    `title` is the custom title, or else for TikTok the caption's first line, up to 100 characters.
    """

    id: UUID
    project_id: UUID
    creator_id: UUID | None
    account_id: UUID | None
    platform: Platform
    platform_video_id: str
    url: str
    title: str | None
    caption: str | None
    description: None = Field(default=None, deprecated=True)
    readme: str | None
    metadata: Metadata
    thumbnail_url: str | None
    view_count: int | None
    like_count: int | None
    comment_count: int | None
    share_count: int | None
    tracking_status: TrackingStatus
    posted_at: datetime | None
    last_scraped_at: datetime | None
    tags: list[TagLabel]
    created_at: datetime
    updated_at: datetime
    counters_as_of: VideoCountersAsOf


class VideoDetail(Video):
    """One video with the fields that lists leave out.

    `tracking_disabled`: its counts no longer change because a person disabled tracking, or by the
    choice made when its account was deactivated. `plan_limit_paused_at`: they no longer change
    because of the plan's limit. `posted_at_awaited_until`: `posted_at` is an estimate, and until
    then its exact time is awaited; no accrual or goal counts the post before. Null: it is not an
    estimate, or unknown.
    """

    counters_as_of: AllCountersAsOf
    posted_at_awaited_until: datetime | None
    save_count: int | None
    media_type: str | None
    duration_seconds: int | None
    tracking_disabled: bool
    tracking_disabled_reason: Reason | None
    tracking_exempted: bool
    plan_limit_paused_at: datetime | None
    readme_version: str


class ExcludedVideo(BaseModel):
    """An excluded video. The row is kept."""

    deleted: bool = True
    id: UUID
    tracking_status: TrackingStatus = "excluded"
    tracking_disabled: bool = False


class VideoScrape(BaseModel):
    """A queued scrape."""

    video_id: UUID
    job_id: UUID


class Paused(BaseModel):
    """How many other videos were paused at the plan's limit."""

    paused_count: int


class ManyChanged(Paused):
    """How many videos were updated, and the ids that were not found."""

    updated: int
    not_found_ids: list[UUID]

    @classmethod
    def of(cls, video_ids: Iterable[UUID], changed_ids: Collection[UUID], paused: int) -> Self:
        """Return the answer for the requested ids and the changed ones."""
        missing = [fromkey for fromkey in dict.fromkeys(video_ids) if fromkey not in changed_ids]
        return cls(updated=len(changed_ids), not_found_ids=missing, paused_count=paused)


class ChangedVideo(Answer[VideoDetail, Paused]):
    """A video after a PATCH."""


class AddedMeta(Paused):
    """Ids of posts that were already in the project."""

    existing_ids: list[UUID]


class AddedVideos(Answer[Video | list[Video], AddedMeta]):
    """The posts: one, or a list in the order of the request."""
