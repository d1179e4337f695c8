"""A post beside its creator's other posts: whether fewer people saw it, or fewer reacted."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from serving_api.kit.request_context import RequestContext
from serving_api.resources.tracking.videos import service as videos
from serving_api.resources.tracking.videos.schemas import Video, VideoDetail, VideoQuery

LATEST = 50
FEWEST = 3
"""A median of fewer posts says little."""


@dataclass(frozen=True, slots=True)
class Row:
    """A metric of the post, and the median of the others; a rate is a percentage of views."""

    label: str
    own: float | None
    usual: float | None
    is_rate: bool


def compared_with_others(context: RequestContext, post: VideoDetail) -> Sequence[Row]:
    """Return rows for the metrics of which a median of the creator's latest posts is known."""
    if post.creator_id is None:
        return ()
    query = VideoQuery(
        project_id=post.project_id, creator_id=post.creator_id, sort="posted_at", limit=LATEST
    )
    others = [
        other
        for other in videos.list_videos(context, query).data
        if other.id != post.id and other.tracking_status != "pending_review"
    ]
    rows = []
    for label, own in _metrics(post).items():
        numbers = [_metrics(other)[label] for other in others]
        known = [number for number in numbers if number is not None]
        if len(known) >= FEWEST:
            rows.append(Row(label, own, median(known), is_rate=label != VIEWS))
    return rows


VIEWS = "Views"


def _metrics(post: Video) -> dict[str, float | None]:
    views = post.view_count

    def rate(number: int | None) -> float | None:
        return 100 * number / views if views and number is not None else None

    return {
        VIEWS: views,
        "Like rate": rate(post.like_count),
        "Comment rate": rate(post.comment_count),
        "Share rate": rate(post.share_count),
    }
