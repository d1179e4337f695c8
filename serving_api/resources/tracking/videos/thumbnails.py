"""Stored pictures of posts, for everyone who may read the post."""

from collections.abc import Collection, Mapping
from typing import Literal, cast
from uuid import UUID

from pydantic import BaseModel, Field
from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from serving_api.errors import NotFound
from serving_api.files.kinds import media_type_of
from serving_api.files.signed_urls import DOWNLOAD_SECONDS, SignedUrls
from serving_api.kit.rows import rows_of
from warehouse.operational.models import PostPicture, Video
from warehouse.storage.storage import Storage

ImageType = Literal["image/png", "image/jpeg", "image/webp"]
EXAMPLE_URL = "https://tracker.example/files/downloads/InBpY3R1cmVzLyI.aR7d.c2lnbmF0dXJl"


class Thumbnail(BaseModel):
    """A post's stored picture; `size` is in bytes."""

    content_type: ImageType
    size: int = Field(examples=[48_213])
    download_url: str = Field(description="Requires no API key", examples=[EXAMPLE_URL])
    expires_in_seconds: int = Field(
        description="How long `download_url` is valid", examples=[DOWNLOAD_SECONDS]
    )


def paths_of(
    session: Session, organization_id: UUID, video_ids: Collection[UUID]
) -> Mapping[UUID, str]:
    same_post = and_(
        PostPicture.platform == Video.platform,
        PostPicture.platform_video_id == Video.platform_video_id,
    )
    rows = session.execute(
        select(Video.id, PostPicture.path)
        .join(PostPicture, same_post)
        .where(
            Video.organization_id == organization_id,
            Video.id.in_(video_ids),
            PostPicture.path.is_not(None),
        )
    )
    return {video_id: path for video_id, path in rows if path}


def path_of(
    session: Session, organization_id: UUID, video_id: UUID, project_id: UUID | None = None
) -> str | None:
    """Return the path of a post's picture, or None. Raises NotFound.

    With `project_id`, only for posts of that project.
    """
    video = session.scalar(rows_of(Video, organization_id, video_id))
    if video is None or (project_id and video.project_id != project_id):
        raise NotFound.named("Video")
    return paths_of(session, organization_id, [video_id]).get(video_id)


def thumbnail_at(files: Storage, urls: SignedUrls, path: str | None) -> Thumbnail | None:
    """Return a post's picture, or None. Calls the bucket, so no database session may be open."""
    stored = files.find(path) if path else None
    if stored is None:
        return None
    return Thumbnail(
        content_type=cast(ImageType, media_type_of(stored.path)),
        size=stored.size,
        download_url=urls.download(stored.path),
        expires_in_seconds=DOWNLOAD_SECONDS,
    )
