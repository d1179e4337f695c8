"""Checks the plan, project and days of a request about comments."""

from uuid import UUID

from serving_api.errors import InvalidQuery, PlanFeatureUnavailable
from serving_api.kit.days import DayRange, DayRangeQuery, day_range, today_in
from serving_api.kit.principals import Principal
from serving_api.kit.request_context import RequestContext
from serving_api.resources.organization import projects
from serving_api.resources.programs.campaigns import repository as campaigns
from warehouse.operational.base import business_now
from warehouse.reading.comments.scope import CommentScope, Days

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
    today = today_in(zone, business_now(context.session))
    return day_range(query, zone=zone, today=today, refusal=InvalidQuery)


def days_of(days: DayRange) -> Days:
    """Return the days as readers of a publication expect them."""
    return Days(first=days.from_day, last=days.to_day)
