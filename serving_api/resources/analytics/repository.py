"""SQL of what analytics are about. Every statement names the organization."""

from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.resources.campaigns import repository as campaigns
from serving_api.resources.creators import repository as creators
from serving_api.resources.videos import repository as videos
from serving_api.resources.videos.presenter import title_of
from warehouse.reading.series_query import Entity


def label_of(
    session: Session, organization_id: UUID, entity: Entity, entity_id: UUID
) -> tuple[str | None] | None:
    """Return the entity's label (which may be None); None if it is not the organization's."""
    if entity == "video":
        video = videos.find(session, organization_id, entity_id)
        return (title_of(video) or video.url,) if video else None
    if entity == "creator":
        creator = creators.find(session, organization_id, entity_id)
        return (creator.display_name,) if creator else None
    campaign = campaigns.find(session, organization_id, entity_id)
    return (campaign.name,) if campaign else None
