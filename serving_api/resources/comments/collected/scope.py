"""Checks plan, project and days of a request about comments, and why none were collected yet."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, and_
from sqlalchemy.orm import Session

from serving_api.errors import InvalidQuery, PlanFeatureUnavailable
from serving_api.kit.days import DayRange, DayRangeQuery, day_range, today_in
from serving_api.kit.principals import Principal
from serving_api.kit.published import Published
from serving_api.kit.request_context import RequestContext
from serving_api.resources.comments import settings
from serving_api.resources.organization import projects
from serving_api.resources.programs.campaigns import repository as campaigns
from warehouse.operational.base import business_now
from warehouse.operational.models import Video
from warehouse.platforms import PLATFORMS
from warehouse.reading.comments.scope import CommentScope, Days
from warehouse.reading.comments.summary import collected_among
from warehouse.reading.videos import latest_counts
from warehouse.scrape_jobs.comment_targets import Delay, VisibleCounts, delays_of
from warehouse.settings import Settings

FEATURE = "comment_insights"


def require_plan(caller: Principal) -> None:
    """Raise PlanFeatureUnavailable on a plan without comments."""
    if not caller.plan.comment_insights_enabled:
        raise PlanFeatureUnavailable(FEATURE)


def scope_in(
    context: RequestContext,
    project_id: UUID,
    *,
    campaign_id: UUID | None,
    platform: str | None,
    creator_id: UUID | None = None,
) -> CommentScope:
    """Return the scope of comments. Raises PlanFeatureUnavailable and NotFound."""
    require_plan(context.caller)
    projects.require(context.session, context.organization_id, project_id)
    if campaign_id is not None:
        campaigns.require_in(context.session, context.organization_id, project_id, campaign_id)
    return CommentScope(
        organization_id=context.organization_id,
        project_id=project_id,
        campaign_id=campaign_id,
        creator_id=creator_id,
        platform=platform,
    )


def range_of(context: RequestContext, query: DayRangeQuery, zone: str) -> DayRange:
    """Return the requested days, by default the last 30. Raises InvalidQuery."""
    today = today_in(zone, context.now)
    return day_range(query, zone=zone, today=today, refusal=InvalidQuery)


def days_of(days: DayRange) -> Days:
    """Return the days as readers of a publication expect them."""
    return Days(first=days.from_day, last=days.to_day)


WITHOUT_COMMENTS: Mapping[str, frozenset[str]] = {
    "tiktok": frozenset({"display"}),
    "instagram": frozenset({"graph", "login"}),
}
"""Providers by platform that cannot read comments."""


def platforms_without_comments(settings: Settings) -> frozenset[str]:
    """Return the platforms where no provider reads comments; custom providers are assumed to."""
    return frozenset(
        platform
        for platform in PLATFORMS
        if WITHOUT_COMMENTS[platform].issuperset(settings.providers_of(platform))
    )


def delay_of(session: Session, video: Video, *, visible_count: int | None, at_least: int) -> Delay:
    """Return why a post has no collected comments."""
    [(_, delay)] = delays_of(
        session,
        Video.id == video.id,
        visible_counts=lambda ids: dict.fromkeys(ids, visible_count),
        at_least=at_least,
        now=business_now(session),
    )
    return delay


def delays_in(context: RequestContext, scope: CommentScope) -> Mapping[Delay, int]:
    """Return how many of a project's posts have no collected comments, by reason.

    Filters by platform but not by campaign or creator. Posts on platforms without comments are
    left out.
    """
    waiting = dict(
        delays_of(
            context.session,
            _posts(scope, platforms_without_comments(context.services.settings)),
            visible_counts=_visible_counts_of(context.marts, scope.organization_id),
            at_least=settings.read(context).min_comment_count,
            now=context.now,
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
