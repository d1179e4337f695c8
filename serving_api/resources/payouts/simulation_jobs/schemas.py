"""Body and answers of simulations that take longer than a request."""

from datetime import date, datetime
from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.pagination import PageQuery
from serving_api.kit.schemas import Day
from serving_api.resources.payouts.simulations import schemas as small

MOST_CREATORS = 5_000
MOST_DAYS = 366

HELD = Field(
    description="Of `simulated_cents`: what would wait for a check; null where an earlier version"
    " of the service computed it"
)

Status = Literal["queued", "running", "succeeded", "failed"]


class AskedAtLength(small.Asked):
    """What `POST /payout-structures/simulate` takes, of more creators and days."""

    most_creators: ClassVar[int] = MOST_CREATORS
    most_days: ClassVar[int] = MOST_DAYS

    creator_ids: Annotated[list[UUID] | None, Field(min_length=1, max_length=MOST_CREATORS)] = (
        Field(default=None, description="Of the structure's project")
    )
    to_day: Day = Field(
        alias="to", description=f"Inclusive, not after today; at most {MOST_DAYS} days in all"
    )


class PayoutSimulation(BaseModel):
    """What is simulated, and how far that is. What came of it is null until it succeeded."""

    id: UUID
    project_id: UUID
    structure_id: UUID | None = Field(
        description="Whose rule is another one; null: a new structure"
    )
    from_day: date = Field(serialization_alias="from")
    to_day: date = Field(serialization_alias="to")
    timezone: str
    currency: str
    status: Status
    error: str | None = Field(description="Why it failed, in words")
    creators_total: int
    creators_done: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    expires_at: datetime = Field(description="From then on it is gone, with what came of it")
    as_of: datetime | None = Field(description="Of the one publication that it is computed over")
    periods: int | None = Field(description="Rows of the result by period")
    videos: int | None = Field(description="Rows of the result by video")
    simulated_cents: int | None
    in_force_cents: int | None = Field(description="Null where the structure is new")
    difference_cents: int | None
    held_cents: int | None = HELD


class ResultQuery(PageQuery):
    """Which rows of a result."""

    by: Literal["creator", "period", "video"] = "creator"
    format: Literal["json", "csv"] = Field(
        default="json", description="`csv` is a file of all rows: `limit` and `cursor` do nothing"
    )


class CreatorRow(small.Sums):
    """What one creator would have earned."""

    creator_id: UUID
    held_cents: int | None = HELD


class PeriodRow(small.Subject):
    """What both pay a creator for it; null where one of the two pays nothing."""

    creator_id: UUID
    simulated: small.Explained | None
    in_force: small.ExplainedInForce | None


class VideoRow(small.Subject):
    """What one post has of both; null where it has nothing of one, or no post brought it."""

    creator_id: UUID
    video_id: UUID | None
    simulated_views: int | None
    simulated_cents: int | None
    in_force_views: int | None
    in_force_cents: int | None


Row = CreatorRow | PeriodRow | VideoRow
