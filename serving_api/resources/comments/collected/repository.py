"""SQL of the posts that comments stand under. Every statement names the organization."""

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.operational.models import Video


def videos(session: Session, organization_id: UUID, ids: Collection[UUID]) -> Mapping[UUID, Video]:
    """Return the videos among `ids`."""
    statement = select(Video).where(Video.organization_id == organization_id, Video.id.in_(ids))
    return {video.id: video for video in session.scalars(statement)}
