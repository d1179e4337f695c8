"""Videos of an organization sorted by a counter, from marts.videos."""

from dataclasses import asdict, dataclass
from typing import Final, Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.statements import statement

VideoCounter = Literal["view", "like"]
UNKNOWN: Final = 2**63 - 1
"""Sort key of unknown counts."""
BY_COUNT: Final = statement(__name__, "sorted_videos.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class VideosByCount:
    """An organization's videos without excluded ones; None does not filter.

    `ids` are comma-separated. `after_key` and `after_id` are the sort key and id of the last row
    of the page before.
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
    after_key: int | None
    after_id: UUID | None


def list_by_count(cursor: DuckDBPyConnection, query: VideosByCount) -> list[tuple[UUID, int]]:
    """Return (id, sort key) of videos, sorted by the count, unknown ones last, then by id."""
    parameters = {**asdict(query), "unknown": UNKNOWN}
    rows: list[tuple[UUID, int]] = cursor.execute(BY_COUNT, parameters).fetchall()
    return rows
