"""SQL of what analytics are about. Every statement names the organization."""

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.resources.tracking.videos.presenter import title_of
from warehouse.operational.models import Video
from warehouse.operational.session import driver_of
from warehouse.reading.series.metrics import Entity

NAMED: Mapping[Entity, str] = {
    "creator": """
        select id, display_name
        from creators
        where organization_id = %(organization_id)s and id = any(%(ids)s)
    """,
    "campaign": """
        select id, name
        from campaigns
        where organization_id = %(organization_id)s and id = any(%(ids)s)
    """,
}


def labels_of(
    session: Session, organization_id: UUID, entity: Entity, ids: Collection[UUID]
) -> Mapping[UUID, str | None]:
    """Return the label of each of the entities that is the organization's; it may be None."""
    if entity == "video":
        found = select(Video).where(Video.organization_id == organization_id, Video.id.in_(ids))
        return {video.id: title_of(video) or video.url for video in session.scalars(found)}
    asked = {"organization_id": organization_id, "ids": list(ids)}
    return dict(driver_of(session).execute(NAMED[entity], asked).fetchall())
