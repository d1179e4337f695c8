"""SQL of ranked entities. Every statement names the organization."""

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.kit.rows import rows_of
from serving_api.resources.analytics.leaderboards.schemas import CreatorEntity, VideoEntity
from serving_api.resources.tracking.videos.presenter import title_of
from warehouse.operational.models import Campaign, Creator, Video


def videos(
    session: Session, organization_id: UUID, ids: Collection[UUID]
) -> Mapping[UUID, VideoEntity]:
    statement = rows_of(Video, organization_id).where(Video.id.in_(ids))
    return {
        video.id: VideoEntity(
            id=video.id, label=title_of(video, video.url), platform=video.platform
        )
        for video in session.scalars(statement)
    }


def creators(
    session: Session, organization_id: UUID, ids: Collection[UUID]
) -> Mapping[UUID, CreatorEntity]:
    """Return the organization's creators by id, including removed ones."""
    statement = select(Creator.id, Creator.display_name).where(
        Creator.organization_id == organization_id, Creator.id.in_(ids)
    )
    rows = session.execute(statement).all() if ids else ()
    return {row.id: CreatorEntity(id=row.id, label=row.display_name) for row in rows}


def campaigns(
    session: Session, organization_id: UUID, ids: Collection[UUID]
) -> Mapping[UUID, CreatorEntity]:
    statement = select(Campaign.id, Campaign.name).where(
        Campaign.organization_id == organization_id, Campaign.id.in_(ids)
    )
    rows = session.execute(statement)
    return {row.id: CreatorEntity(id=row.id, label=row.name) for row in rows}
