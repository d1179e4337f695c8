"""What comments wait for where none were collected: of one post, and of a project's."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, and_
from sqlalchemy.orm import Session

from serving_api.kit.published import Published
from serving_api.kit.request_context import RequestContext
from serving_api.resources.comments import settings
from warehouse.operational.base import business_now
from warehouse.operational.models import Video
from warehouse.platforms import PLATFORMS
from warehouse.reading.comments.scope import CommentScope
from warehouse.reading.comments.summary import collected_among
from warehouse.reading.videos import latest_counts
from warehouse.scrape_jobs.comment_delays import Delay, VisibleCounts, delays_of
from warehouse.settings import Settings

WITHOUT_COMMENTS: Mapping[str, frozenset[str]] = {
    "tiktok": frozenset({"display", "apify", "brightdata"}),
    "instagram": frozenset({"graph", "login", "apify", "brightdata"}),
}
"""Of the providers that read a platform, those that show no comments."""


def platforms_without_comments(settings: Settings) -> frozenset[str]:
    """Return the platforms none of whose providers shows comments; a user's own is taken to."""
    return frozenset(
        platform
        for platform in PLATFORMS
        if WITHOUT_COMMENTS[platform].issuperset(settings.providers_of(platform))
    )


def delay_of(session: Session, video: Video, *, visible_count: int | None, at_least: int) -> Delay:
    """Return what a post without collected comments waits for."""
    [(_, delay)] = delays_of(
        session,
        Video.id == video.id,
        visible_counts=lambda ids: dict.fromkeys(ids, visible_count),
        at_least=at_least,
        now=business_now(session),
    )
    return delay


def delays_in(
    context: RequestContext,
    scope: CommentScope,
) -> Mapping[Delay, int]:
    """Return how many of the project's posts without collected comments wait for what.

    Those on the platform asked for, whatever campaign or creator; none on the platforms
    `uncollected`, whose comments nothing is going to collect.
    """
    waiting = dict(
        delays_of(
            context.session,
            _posts(scope, platforms_without_comments(context.services.settings)),
            visible_counts=_visible_counts_of(context.marts, scope.organization_id),
            at_least=settings.read(context).min_comment_count,
            now=business_now(context.session),
        )
    )
    collected = context.marts.look_up(collected_among, scope.organization_id, list(waiting))
    return Counter(delay for video, delay in waiting.items() if video not in collected)


def _visible_counts_of(numbers: Published, organization_id: UUID) -> VisibleCounts:
    def visible_counts(ids: Sequence[UUID]) -> Mapping[UUID, int | None]:
        counts_of = numbers.look_up(latest_counts, organization_id, ids)
        return {video: counts.comment_count for video, counts in counts_of.items()}

    return visible_counts


def _posts(scope: CommentScope, uncollected: Collection[str]) -> ColumnElement[bool]:
    return and_(
        Video.organization_id == scope.organization_id,
        Video.project_id == scope.project_id,
        Video.platform.not_in(uncollected),
        *([Video.platform == scope.platform] if scope.platform else []),
    )
