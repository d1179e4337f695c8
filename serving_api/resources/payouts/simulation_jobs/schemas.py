"""Bodies and answers of simulations that take longer than a request."""

from datetime import date, datetime
from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.pagination import PageQuery
from serving_api.kit.schemas import Day
from serving_api.resources.payouts.simulations import schemas as small

MOST_CREATORS = 5_000
MOST_DAYS = 366

ON_HOLD = Field(
    description="Part of `simulated_cents` that would be on hold. Null if an earlier version of the"
    " service computed it"
)

Status = Literal["queued", "running", "succeeded", "failed"]


class AskedAtLength(small.Asked):
    """The body of `POST /payout-structures/simulate` with more creators and days."""

    most_creators: ClassVar[int] = MOST_CREATORS
    most_days: ClassVar[int] = MOST_DAYS

    creator_ids: Annotated[list[UUID] | None, Field(min_length=1, max_length=MOST_CREATORS)] = (
        Field(default=None, description="Creators of the structure's project")
    )
    to_day: Day = Field(
        alias="to", description=f"Inclusive, not after today. At most {MOST_DAYS} days in all"
    )


class PayoutSimulation(BaseModel):
    """A simulation and its progress. Results are null until it succeeded."""

    id: UUID
    project_id: UUID
    structure_id: UUID | None = Field(
        description="The structure whose rule is replaced. Null: a new structure"
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
    expires_at: datetime = Field(description="When the simulation and its result are deleted")
    as_of: datetime | None = Field(description="`as_of` of the publication it is computed over")
    periods: int | None = Field(description="Rows of the result by period")
    videos: int | None = Field(description="Rows of the result by video")
    simulated_cents: int | None
    in_force_cents: int | None = Field(description="Null for a new structure")
    difference_cents: int | None
    held_cents: int | None = ON_HOLD


class ResultQuery(PageQuery):
    by: Literal["creator", "period", "video"] = "creator"
    format: Literal["json", "csv"] = Field(
        default="json",
        description="`csv` returns a file of all rows and ignores `limit` and `cursor`",
    )


class CreatorRow(small.Sums):
    """What one creator would have earned."""

    creator_id: UUID
    held_cents: int | None = ON_HOLD


class PeriodRow(small.Subject):
    """What both rules pay a creator for it. Null if one of them pays nothing."""

    creator_id: UUID
    simulated: small.Explained | None
    in_force: small.ExplainedInForce | None


class VideoRow(small.Subject):
    """One post's part of both amounts. Null if it has no part in one, or if no post brought it."""

    creator_id: UUID
    video_id: UUID | None
    simulated_views: int | None
    simulated_cents: int | None
    in_force_views: int | None
    in_force_cents: int | None


Row = CreatorRow | PeriodRow | VideoRow
