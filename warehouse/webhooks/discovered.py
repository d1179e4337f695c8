"""Events for newly discovered posts, in the transaction that registers them."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.operational.models import Video
from warehouse.registration.staging import NEW_VIDEOS
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import listening, record


def record_discovered(session: Session, organizations: Collection[UUID], now: datetime) -> None:
    """Record the newly added posts of these organizations, except excluded posts."""
    listeners = listening(session, organizations)
    if not listeners:
        return
    videos = session.scalars(
        select(Video)
        .join(NEW_VIDEOS, NEW_VIDEOS.c.id == Video.id)
        .where(Video.organization_id.in_(listeners), Video.tracking_status != "excluded")
        .order_by(NEW_VIDEOS.c.row, Video.id)
    )
    record(session, (_event(video, now) for video in videos))


def _event(video: Video, now: datetime) -> Event:
    return Event(
        organization_id=video.organization_id,
        type="video.discovered",
        entity_type="video",
        entity_id=str(video.id),
        state="discovered",
        occurred_at=now,
        data={
            "video_id": str(video.id),
            "project_id": str(video.project_id),
            "creator_id": video.creator_id and str(video.creator_id),
            "account_id": video.account_id and str(video.account_id),
            "platform": video.platform,
            "platform_video_id": video.platform_video_id,
            "tracking_status": video.tracking_status,
            "posted_at": video.posted_at and video.posted_at.isoformat(),
        },
    )
