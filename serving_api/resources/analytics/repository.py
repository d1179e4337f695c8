"""SQL of what analytics are about. Every statement names the organization."""

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.resources.videos.presenter import title_of
from warehouse.operational.models import Campaign, Creator, Video
from warehouse.reading.metrics import Entity


def labels_of(
    session: Session, organization_id: UUID, entity: Entity, ids: Collection[UUID]
) -> Mapping[UUID, str | None]:
    """Return the label of each of the entities that is the organization's; it may be None."""
    if entity == "video":
        found = select(Video).where(Video.organization_id == organization_id, Video.id.in_(ids))
        return {video.id: title_of(video) or video.url for video in session.scalars(found)}
    model, label = (
        (Creator, Creator.display_name) if entity == "creator" else (Campaign, Campaign.name)
    )
    named = select(model.id, label).where(
        model.organization_id == organization_id, model.id.in_(ids)
    )
    return {row.id: row[1] for row in session.execute(named)}
