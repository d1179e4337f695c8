"""Whether view counts of a creator's posts fell in a time, which takes nothing from amounts."""

from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from duckdb import DuckDBPyConnection

FELL = """
    select exists (
        select 1
        from marts.video_deltas as deltas
        inner join marts.videos as videos on deltas.video_id = videos.video_id
        where
            videos.organization_id = $organization_id
            and videos.project_id = $project_id
            and videos.creator_id = $creator_id
            and videos.is_counted
            and deltas.captured_at >= $from_at
            and deltas.captured_at < $until_at
            and deltas.view_delta < 0
    )
"""


@dataclass(frozen=True, slots=True)
class FallQuery:
    """A creator's counted posts in a project, from an instant to before another."""

    organization_id: UUID
    project_id: UUID
    creator_id: UUID
    from_at: datetime
    until_at: datetime


def any_fell(cursor: DuckDBPyConnection, query: FallQuery) -> bool:
    """Return whether a known count of views is below the known one before."""
    [(fell,)] = cursor.execute(FELL, asdict(query)).fetchall()
    return bool(fell)
