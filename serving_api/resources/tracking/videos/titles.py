"""Titles of posts for people: on pages and in reasons of amounts."""

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.kit.filters import among
from serving_api.kit.rows import rows_of
from serving_api.resources.tracking.videos.presenter import first_line
from warehouse.operational.models import Video

NAMELESS = "Post without a caption"


def title_of(row: Video, nameless: str = NAMELESS) -> str:
    """Return the custom title, or else the first line of the caption."""
    return row.custom_title or first_line(row.caption) or nameless


def titles_of(
    session: Session, organization_id: UUID, video_ids: Collection[str]
) -> Mapping[str, str]:
    ids = [UUID(video_id) for video_id in video_ids]
    named = rows_of(Video, organization_id).where(among(Video.id, ids))
    return {str(row.id): title_of(row) for row in session.scalars(named)}
