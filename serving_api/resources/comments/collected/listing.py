"""Comments of a post with a summary of all, and comments under a project's posts, by page."""

from contextlib import AbstractContextManager
from dataclasses import replace
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.kit.computed import pinned
from serving_api.kit.cursor import SEAL, BegunCursor, Seal
from serving_api.kit.published import Published
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import require_own
from serving_api.resources.comments import settings
from serving_api.resources.comments.collected import presenter, review, schemas
from serving_api.resources.comments.collected.scope import (
    days_of,
    delay_of,
    delays_in,
    platforms_without_comments,
    range_of,
    require_plan,
    scope_in,
)
from warehouse.operational.base import business_time
from warehouse.operational.models import Video
from warehouse.reading.comments.counts import NO_COMMENTS
from warehouse.reading.comments.listing import (
    Comment,
    CommentFilter,
    CommentPage,
    CommentPosition,
    comment_count_in,
    comment_ids_in,
    comments_in,
    comments_of_video,
)
from warehouse.reading.comments.scope import CommentScope, Days
from warehouse.reading.comments.summary import VideoComments, comments_of
from warehouse.reading.videos import latest_counts
from warehouse.scrape_jobs.comment_targets import Delay

NEVER = VideoComments(last_collected_at=None, counts=NO_COMMENTS)


def read_of_video(
    context: RequestContext, video_id: UUID, query: schemas.VideoCommentsQuery
) -> schemas.VideoCommentsAnswer:
    """Return a page of a post's comments. Raises PlanFeatureUnavailable and NotFound."""
    require_plan(context.caller)
    video = require_own(context, Video, video_id, "Video")
    rows, total = _page(context.marts, video, query)
    in_sum = _in_sum(context.marts, video)
    coverage = (
        _coverage(context, video, in_sum)
        if video.platform not in platforms_without_comments(context.services.settings)
        else None
    )
    delay = _delay(context.session, video, coverage) if coverage else None
    following = query.offset + query.limit
    return schemas.VideoCommentsAnswer(
        data=schemas.VideoComments(
            video_id=video.id,
            project_id=video.project_id,
            platform=video.platform,
            video_url=video.url,
            coverage=coverage,
            not_collected=delay,
            summary=schemas.VideoSummary(
                **presenter.sentiment(in_sum.counts).model_dump(),
                signal_counts=presenter.signals(in_sum.counts),
            ),
            comments=[presenter.comment(row) for row in rows],
        ),
        meta=schemas.OffsetMeta(total=total, next_offset=following if following < total else None),
    )


def _page(
    numbers: Published, video: Video, query: schemas.VideoCommentsQuery
) -> tuple[list[Comment], int]:
    scope = CommentScope(organization_id=video.organization_id, project_id=video.project_id)
    filters = CommentFilter(signal=query.signal, sentiment=query.sentiment, q=query.q)
    page = CommentPage(sort=query.sort, limit=query.limit, offset=query.offset)
    with numbers.cursor() as cursor:
        return comments_of_video(cursor, scope, video.id, filters, page) if cursor else ([], 0)


def _in_sum(numbers: Published, video: Video) -> VideoComments:
    with numbers.cursor() as cursor:
        in_sum = comments_of(cursor, video.organization_id, video.id) if cursor else None
    return in_sum or NEVER


def _delay(session: Session, video: Video, coverage: schemas.Coverage) -> Delay | None:
    if coverage.last_collected_at is not None:
        return None
    platform_comment_count = coverage.platform_comment_count
    return delay_of(
        session, video, visible_count=platform_comment_count, at_least=coverage.min_comment_count
    )


def _coverage(context: RequestContext, video: Video, in_sum: VideoComments) -> schemas.Coverage:
    counts = context.marts.look_up(latest_counts, video.organization_id, [video.id]).get(video.id)
    return schemas.Coverage(
        platform_comment_count=counts.comment_count if counts else None,
        collected_count=in_sum.counts.comments,
        last_collected_at=in_sum.last_collected_at,
        min_comment_count=settings.read(context).min_comment_count,
    )


def read_of_project(
    context: RequestContext, project_id: UUID, query: schemas.ProjectCommentsQuery
) -> schemas.ProjectComments:
    """Return a page. Raises PlanFeatureUnavailable, InvalidCursor, InvalidQuery and NotFound."""
    scope = _scope(context, project_id, query)
    seal: Seal = context.session.info[SEAL]
    listing = f"comments/{project_id}/{query.sort}"
    begun = BegunCursor.decode(query.cursor, listing, seal) if query.cursor is not None else None
    after = CommentPosition(begun.rank, begun.at, begun.id) if begun else None
    page = CommentPage(sort=query.sort, limit=query.limit + 1, after=after)
    with (
        _numbers(context, begun) as numbers,
        business_time(context.session, begun.begun_at if begun else None) as begun_at,
    ):
        days = days_of(range_of(context, query, replace(context, marts=numbers).marts_zone))
        filters = _build_filters(context, project_id, query, days)
        with numbers.cursor() as cursor:
            rows = comments_in(cursor, scope, days, filters, page) if cursor else []
        publication_id = numbers.publication_id() if query.sort == "top" else None
    has_more = len(rows) > query.limit
    following = None
    if has_more:
        position = CommentPosition.of(rows[query.limit - 1])
        last = BegunCursor(begun_at, position.likes, position.at, position.id, publication_id)
        following = last.encode(listing, seal)
    return schemas.ProjectComments(
        data=presenter.project_comments(context, rows[: query.limit]),
        meta=schemas.CommentsMeta(
            hasMore=has_more,
            nextCursor=following,
            not_collected=None if rows or after else delays_in(context, scope),
        ),
    )


def ids_of_project(
    context: RequestContext, project_id: UUID, query: schemas.ProjectCommentsQuery, most: int
) -> list[UUID]:
    """Return the ids of the first `most` comments. Raises as `read_of_project` does."""
    scope = _scope(context, project_id, query)
    days = days_of(range_of(context, query, context.marts_zone))
    filters = _build_filters(context, project_id, query, days)
    page = CommentPage(sort=query.sort, limit=most)
    with context.marts.cursor() as cursor:
        return comment_ids_in(cursor, scope, days, filters, page) if cursor else []


def count_of_project(
    context: RequestContext, project_id: UUID, query: schemas.ProjectCommentsQuery
) -> int:
    """Return how many comments all pages have. Raises as `read_of_project` does."""
    scope = _scope(context, project_id, query)
    days = days_of(range_of(context, query, context.marts_zone))
    filters = _build_filters(context, project_id, query, days)
    with context.marts.cursor() as cursor:
        return comment_count_in(cursor, scope, days, filters) if cursor else 0


def _scope(
    context: RequestContext, project_id: UUID, query: schemas.ProjectCommentsQuery
) -> CommentScope:
    return scope_in(
        context,
        project_id,
        campaign_id=query.campaign_id,
        platform=query.platform,
        creator_id=query.creator_id,
    )


def _numbers(
    context: RequestContext, begun: BegunCursor | None
) -> AbstractContextManager[Published]:
    """Pin the marts of a page.

    Pages by likes stay on the first page's publication, because ranks change.
    """
    if begun and begun.publication_id:
        return pinned(context.marts, begun.publication_id)
    return context.marts.pinned()


def _build_filters(
    context: RequestContext, project_id: UUID, query: schemas.ProjectCommentsQuery, days: Days
) -> CommentFilter:
    """Return the filters. PostgreSQL knows which comments are handled."""
    marked = (
        review.ids_in(context.session, context.organization_id, project_id, days.first)
        if query.handled is not None
        else None
    )
    return CommentFilter(
        signal=query.signal,
        sentiment=query.sentiment,
        q=query.q,
        among=marked if query.handled else None,
        but_for=None if query.handled else marked,
    )
