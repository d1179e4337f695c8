"""Parameters and answers of leaderboards (decisions.md, Aggregates)."""

from typing import Generic, Literal, TypeVar
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.days import DayRangeQuery
from serving_api.kit.envelope import Answer, Named
from serving_api.kit.schemas import Platform
from warehouse.reading.leaderboards import BoardMetric

VideoMetric = Literal["views", "likes", "comments", "shares", "saves", "engagement_rate_by_views"]


class BoardQuery(DayRangeQuery):
    """Filters of a leaderboard. Days are in the organization's timezone; `to` is at most today."""

    project_id: UUID | None = Field(default=None, description="Required without campaign_id")
    campaign_id: UUID | None = Field(
        default=None,
        description="Posts that the campaign counts, also by creators and sub-campaigns",
    )
    platform: Platform | None = None
    limit: int = Field(default=20, ge=1, le=100)
    offset: int = Field(default=0, ge=0, le=2**31 - 1)


class VideoBoardQuery(BoardQuery):
    metric: VideoMetric = "views"


class CreatorBoardQuery(BoardQuery):
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
    days before. It is null if unknown, as is `change_pct` without a comparison. `share_pct` is of
    the sum of all that are ranked; null for rates. `before_tracking` is the part of the value from
    before tracking: the counts of older posts at their first reading. It is null for rates and for
    `video_count`.
    """

    rank: int
    entity: Entity
    value: int | float
    previous_value: int | float | None
    change_pct: float | None
    share_pct: float | None
    before_tracking: int | None


class BoardMeta(BaseModel):
    """How many are ranked, the next page's offset (null on the last), and the timezone of days."""

    total: int
    next_offset: int | None
    timezone: str


class Board(Named, Answer[list[Place[Entity]], BoardMeta], Generic[Entity]):
    """A page of a leaderboard. Entities with unknown values are not ranked."""
