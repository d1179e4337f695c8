"""Comments of a post: a filtered page, and a summary of all."""

from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.kit.published import Published
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import require_own
from serving_api.resources.comments import settings
from serving_api.resources.comments.collected import presenter, schemas
from serving_api.resources.comments.collected.delays import delay_of, platforms_without_comments
from serving_api.resources.comments.collected.scope import require_plan
from warehouse.operational.models import Video
from warehouse.reading.comments.counts import NO_COMMENTS
from warehouse.reading.comments.listing import (
    Comment,
    CommentFilter,
    CommentPage,
    comments_of_video,
)
from warehouse.reading.comments.scope import CommentScope
from warehouse.reading.comments.summary import VideoComments, comments_of
from warehouse.reading.videos import latest_counts
from warehouse.scrape_jobs.comment_delays import Delay

NEVER = VideoComments(last_collected_at=None, counts=NO_COMMENTS)


def read(
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
