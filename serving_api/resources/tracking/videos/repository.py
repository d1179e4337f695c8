"""SQL of videos. Every statement names the organization."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from uuid import UUID

from sqlalchemy import ColumnElement, Select, or_, select, tuple_
from sqlalchemy.orm import Session

from scrapers.urls import parse_post_url
from serving_api.kit.pagination import Keyset, contains
from serving_api.kit.rows import matching, rows_of
from serving_api.resources.programs.tags.repository import tagged
from serving_api.resources.tracking.videos.schemas import PostedQuery, VideoQuery
from warehouse.operational.models import Video
from warehouse.operational.session import WriteSession
from warehouse.registration.scrapable import scrapable_video

NEWEST_FIRST = Keyset(Video.created_at, Video.id, "videos")
SORTED: Mapping[str, Keyset] = {
    "created_at": NEWEST_FIRST,
    "posted_at": Keyset(Video.posted_or_created_at, Video.id, "videos by posting time"),
}


def filtered(session: Session, organization_id: UUID, query: VideoQuery) -> Select[Video]:
    """Select the matching videos of an organization, without excluded ones."""
    names = ("project_id", "creator_id", "account_id", "platform", "content_group_id")
    statement = matching(Video, organization_id, query, *names).where(
        Video.tracking_status != "excluded"
    )
    if query.search is not None:
        statement = statement.where(_has(query.search))
    if query.updated_since is not None:
        statement = statement.where(Video.updated_at >= query.updated_since)
    if isinstance(query, PostedQuery) and query.posted_from and query.posted_before:
        statement = statement.where(
            Video.posted_at >= query.posted_from, Video.posted_at < query.posted_before
        )
    return tagged(session, statement, "video", organization_id, query)


def _has(text: str) -> ColumnElement[bool]:
    """Return the condition that a post's texts contain the text, or that it is the post's id."""
    columns = (Video.caption, Video.custom_title, Video.author_handle)
    conditions = [contains(column, text) for column in columns]
    with suppress(ValueError):
        conditions.append(Video.id == UUID(text))
    post = parse_post_url(text)
    return or_(Video.platform_video_id == ((post and post.platform_video_id) or text), *conditions)


def among_ids(
    session: Session, organization_id: UUID, video_ids: Collection[UUID]
) -> Sequence[Video]:
    """Return the organization's videos with these ids, excluded or not."""
    return session.scalars(rows_of(Video, organization_id).where(Video.id.in_(video_ids))).all()


def is_scraped(session: Session, video: Video) -> bool:
    return session.scalar(select(scrapable_video()).where(Video.id == video.id)) is True


def lock_many(
    session: WriteSession,
    organization_id: UUID,
    project_id: UUID,
    video_ids: Collection[UUID],
    *conditions: ColumnElement[bool],
) -> Sequence[Video]:
    """Lock and return the project's videos with these ids that meet the conditions."""
    return session.scalars(
        rows_of(Video, organization_id)
        .where(Video.project_id == project_id, Video.id.in_(video_ids), *conditions)
        .order_by(Video.created_at, Video.id)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    ).all()


def in_project(
    session: Session, organization_id: UUID, project_id: UUID, posts: Collection[tuple[str, str]]
) -> Sequence[Video]:
    """Return the project's videos, excluded or not, by (platform, platform's post id)."""
    return session.scalars(
        rows_of(Video, organization_id).where(
            Video.project_id == project_id,
            tuple_(Video.platform, Video.platform_video_id).in_(list(posts)),
        )
    ).all()
