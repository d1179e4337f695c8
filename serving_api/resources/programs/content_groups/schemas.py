"""Bodies, filters and answers of content groups (contract, Content group and Content groups)."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints, ValidationInfo, field_validator

from serving_api.kit.pagination import PageQuery
from serving_api.kit.schemas import Body, Changes, Name, Platform, Text, unsent
from serving_api.resources.tracking.videos.schemas import MAX_AT_ONCE

Notes = Annotated[Text, StringConstraints(max_length=50_000)]
VideoIds = Annotated[list[UUID], Field(max_length=MAX_AT_ONCE)]


class NewContentGroup(Body):
    """A new group of videos of its project. Videos that are in another group are skipped."""

    project_id: UUID
    title: Name
    notes: Notes | None = None
    video_ids: VideoIds = Field(default_factory=list)


class ContentGroupChanges(Changes):
    """Changes to a content group. A null `notes` clears them."""

    title: Name = unsent()
    notes: Notes | None = unsent()
    add_video_ids: VideoIds = unsent()
    remove_video_ids: VideoIds = unsent()

    @field_validator("remove_video_ids")
    @classmethod
    def _in_or_out(cls, removed: list[UUID], sent: ValidationInfo) -> list[UUID]:
        if set(removed) & set(sent.data.get("add_video_ids") or ()):
            raise ValueError("a video cannot be both added and removed")
        return removed


class ContentGroupQuery(PageQuery):
    project_id: UUID | None = None


class ContentGroup(BaseModel):
    """The same content on several platforms. A video belongs to at most one group."""

    id: UUID
    project_id: UUID
    org_id: UUID
    title: str
    notes: str | None
    created_by: UUID | None
    video_ids: list[UUID] = Field(description="In the order in which the videos were registered")
    created_at: datetime
    updated_at: datetime


class Totals(BaseModel):
    """Sums of the latest known counts. Null if unknown for every video."""

    view_count: int | None
    like_count: int | None
    comment_count: int | None
    share_count: int | None


class PlatformStats(Totals):
    """A group's videos on one platform."""

    video_count: int


class ContentGroupStats(BaseModel):
    """A group's videos that count in metrics, and their sums."""

    video_count: int
    totals: Totals
    by_platform: dict[Platform, PlatformStats]
