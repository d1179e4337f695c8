"""What the page of one post tells: what services say of it, put into one order."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from serving_api.charts.chart import Chart
from serving_api.desk.chart_marks import with_marks
from serving_api.desk.charts import ViewsChart
from serving_api.desk.creators import names_of
from serving_api.desk.periods import Period
from serving_api.desk.post_pages.age_curve import age_curve
from serving_api.desk.post_pages.comparison import Row, compared_with_others
from serving_api.desk.view_charts import views_of
from serving_api.errors import NotFound
from serving_api.kit.request_context import RequestContext
from serving_api.resources.comments.collected import of_videos
from serving_api.resources.comments.collected.schemas import (
    Comment,
    VideoComments,
    VideoCommentsQuery,
)
from serving_api.resources.tracking.videos import service as videos
from serving_api.resources.tracking.videos.schemas import VideoDetail

MOST = 50
"""Comments, those to look at and the others each."""


@dataclass(frozen=True, slots=True)
class Said:
    """A post's comments: those to look at come before the latest of the others."""

    told: VideoComments
    total: int
    flagged: Sequence[Comment]
    others: Sequence[Comment]


@dataclass(frozen=True, slots=True)
class OnePost:
    """The page. `ages` are None where nothing is known, `said` on a plan without comments."""

    post: VideoDetail
    creator: str | None
    views: ViewsChart
    ages: Chart | None
    comparison: Sequence[Row]
    said: Said | None


def one_post(context: RequestContext, project_id: UUID, video_id: UUID, period: Period) -> OnePost:
    """Return how a post of a project does. Raises NotFound."""
    post = videos.read_video(context, video_id)
    if post.project_id != project_id:
        raise NotFound.named("Video")
    names = names_of(context, {post.creator_id} if post.creator_id else set())
    has_comments = context.caller.plan.comment_insights_enabled
    return OnePost(
        post=post,
        creator=names.get(post.creator_id) if post.creator_id else None,
        views=with_marks(
            context, views_of(context, "video", video_id, period), "video", video_id, period
        ),
        ages=age_curve(context, post),
        comparison=compared_with_others(context, post),
        said=_said(context, video_id) if has_comments else None,
    )


def _said(context: RequestContext, video_id: UUID) -> Said:
    newest = VideoCommentsQuery(sort="newest", limit=MOST)
    answer = of_videos.read(context, video_id, newest)
    flagged = of_videos.read(context, video_id, newest.model_copy(update={"signal": "flagged"}))
    first = {comment.id for comment in flagged.data.comments}
    return Said(
        told=answer.data,
        total=answer.meta.total,
        flagged=flagged.data.comments,
        others=[comment for comment in answer.data.comments if comment.id not in first],
    )
