"""Parameters and answers of leaderboards (decisions.md, Aggregates)."""

from typing import Generic, Literal, TypeVar
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.days import DayRangeQuery
from serving_api.kit.envelope import Named
from serving_api.kit.schemas import Platform
from warehouse.reading.leaderboards import BoardMetric

VideoMetric = Literal["views", "likes", "comments", "shares", "saves", "engagement_rate_by_views"]


class BoardQuery(DayRangeQuery):
    """Among whom, on which days of the organization's zone; `to` is at most today."""

    project_id: UUID | None = Field(default=None, description="This or campaign_id is required")
    campaign_id: UUID | None = Field(
        default=None, description="The posts it counts, through creators and sub-campaigns too"
    )
    platform: Platform | None = None
    limit: int = Field(default=20, ge=1, le=100)
    offset: int = Field(default=0, ge=0, le=2**31 - 1)


class VideoBoardQuery(BoardQuery):
    """What to rank videos by."""

    metric: VideoMetric = "views"


class CreatorBoardQuery(BoardQuery):
    """What to rank creators by."""

    metric: BoardMetric = "views"


class CreatorEntity(BaseModel):
    """A creator."""

    id: UUID
    label: str | None


class VideoEntity(CreatorEntity):
    """A video."""

    platform: Platform


Entity = TypeVar("Entity", bound=CreatorEntity)


class Place(Named, Generic[Entity]):
    """A place on a leaderboard. Equal values have equal ranks and are ordered by id.

    Values are counts gained in the range, or a percentage. The previous value is that of as many
    days before; null where unknown, and `change_pct` where there is nothing to compare with.
    `share_pct` is of the sum over all that are ranked; null for rates. `before_tracking` is what of
    the value is from before tracking: what older posts had when the counter was first known. It is
    null for rates and for `video_count`.
    """

    rank: int
    entity: Entity
    value: int | float
    previous_value: int | float | None
    change_pct: float | None
    share_pct: float | None
    before_tracking: int | None


class BoardMeta(BaseModel):
    """How many are ranked, where the next page begins (null on the last), and whose days count."""

    total: int
    next_offset: int | None
    timezone: str


class Board(Named, Generic[Entity]):
    """A page of a leaderboard. Who has no value, because nothing is known, is not ranked."""

    data: list[Place[Entity]]
    error: None = None
    meta: BoardMeta
