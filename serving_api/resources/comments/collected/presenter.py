"""Comments and counts of a publication as answers, with their posts and creators."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import from_row, rows_of
from serving_api.resources.comments.collected import schemas, signal_schemas
from serving_api.resources.comments.collected.review import handled_comments
from serving_api.resources.programs.program_health.repository import creator_refs
from serving_api.resources.programs.program_health.schemas import CreatorRef
from warehouse.operational.models import HandledComment, Video
from warehouse.reading.comments.counts import CommentCounts, Feelings, ShareDrop
from warehouse.reading.comments.listing import Comment
from warehouse.reading.comments.scope import Days


def _videos_of(
    session: Session, organization_id: UUID, ids: Collection[UUID]
) -> Mapping[UUID, Video]:
    statement = rows_of(Video, organization_id).where(Video.id.in_(ids))
    return {video.id: video for video in session.scalars(statement)}


def comment(row: Comment) -> schemas.Comment:
    return schemas.Comment(**_fields(row))


def sentiment(counts: Feelings) -> schemas.SentimentCounts:
    return schemas.SentimentCounts.model_validate(counts, from_attributes=True)


def signals(counts: CommentCounts) -> schemas.SignalCounts:
    return schemas.SignalCounts.model_validate(counts.by_signal)


def window(days: Days) -> signal_schemas.DayWindow:
    return signal_schemas.DayWindow(**{"from": days.first}, to=days.last)


def project_comments(
    context: RequestContext, rows: Sequence[Comment]
) -> list[schemas.ProjectComment]:
    """Return comments with their current posts and marks, by four queries for all."""
    handled_by_id = handled_comments(
        context.session, context.organization_id, {row.comment_id for row in rows}
    )
    videos = _videos_of(context.session, context.organization_id, {row.video_id for row in rows})
    owners = {video.creator_id for video in videos.values() if video.creator_id}
    creators = creator_refs(context.session, context.organization_id, owners)
    return [
        _project_comment(
            row,
            video,
            creators.get(video.creator_id) if video.creator_id else None,
            handled_by_id.get(row.comment_id),
        )
        for row in rows
        if (video := videos.get(row.video_id))
    ]


def share_drops(
    session: Session, organization_id: UUID, drops: Sequence[ShareDrop]
) -> list[signal_schemas.ShareDrop]:
    creators = creator_refs(session, organization_id, [drop.creator_id for drop in drops])
    return [
        from_row(signal_schemas.ShareDrop, drop, **named(creators, drop.creator_id))
        for drop in drops
    ]


def named(creators: Any, creator_id: UUID) -> dict[str, Any]:
    """Return a creator's id and names; names are null if it was deleted since."""
    creator: CreatorRef | None = creators.get(creator_id)
    return {
        "creator_id": creator_id,
        "creator_handle": creator.handle if creator else None,
        "display_name": creator.display_name if creator else None,
    }


def _project_comment(
    row: Comment, video: Video, creator: CreatorRef | None, handled_comment: HandledComment | None
) -> schemas.ProjectComment:
    return schemas.ProjectComment(
        **_fields(row),
        video_id=video.id,
        video_url=video.url,
        platform=video.platform,
        caption=video.caption,
        video_posted_at=video.posted_at,
        creator_id=video.creator_id,
        creator_handle=creator.handle if creator else None,
        handled_at=handled_comment and handled_comment.handled_at,
        handled_by=handled_comment and handled_comment.handled_by,
    )


def _fields(row: Comment) -> dict[str, Any]:
    return {
        "id": row.comment_id,
        "text": row.text,
        "like_count": row.like_count,
        "author_unique_id": row.author_unique_id,
        "author_nickname": row.author_nickname,
        "created_at_tiktok": row.posted_at,
        "scraped_at": row.captured_at,
        "sentiment": row.sentiment,
        "sentiment_score": row.sentiment_score,
        "sentiment_model": row.sentiment_model,
        "signals": row.signals,
    }
