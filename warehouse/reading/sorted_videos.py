"""Videos of an organization sorted by a counter, from marts.videos."""

from dataclasses import asdict, dataclass
from typing import Final, Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.statements import statement

VideoCounter = Literal["view", "like"]
BY_COUNT: Final = statement(__name__, "sorted_videos.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class VideosByCount:
    """An organization's videos without excluded ones; None does not filter.

    `ids` are comma-separated.
    """

    organization_id: UUID
    project_id: UUID | None
    platform: str | None
    creator_id: UUID | None
    campaign_id: UUID | None
    ids: str | None
    counter: VideoCounter
    highest_first: bool
    limit: int
    offset: int


def list_by_count(cursor: DuckDBPyConnection, query: VideosByCount) -> list[UUID]:
    """Return the ids of videos, sorted by the count, unknown ones last, then by id."""
    return [video_id for (video_id,) in cursor.execute(BY_COUNT, asdict(query)).fetchall()]
