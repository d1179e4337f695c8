"""A project's health: the publication's figures beside what people decided since."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.errors import InvalidQuery
from serving_api.kit.days import today_in
from serving_api.kit.errand import Errand
from serving_api.resources.comments.collected import flags
from serving_api.resources.comments.collected.signal_schemas import FlagCounts
from serving_api.resources.organization import projects
from serving_api.resources.payouts.budgets.projecting import Projection
from serving_api.resources.programs.campaigns import repository as campaign_rows
from serving_api.resources.programs.program_health import repository, schemas, tracking
from serving_api.resources.programs.program_health.budgets import projected_budgets, reached_budgets
from serving_api.resources.programs.program_health.disputes import overdue_disputes
from serving_api.resources.programs.program_health.goals import goal_health
from serving_api.resources.programs.program_health.payout_schemas import ReachedBudget
from serving_api.resources.programs.program_health.presenter import Presenter
from serving_api.resources.programs.program_health.repository import Scope
from serving_api.resources.programs.program_health.schemas import HealthQuery, ProgramHealthAnswer
from serving_api.resources.programs.program_health.signals import health_of
from serving_api.resources.programs.program_health.webhooks import disabled_webhooks
from warehouse.connections.rows import broken_of
from warehouse.operational import models
from warehouse.operational.base import business_now
from warehouse.reading.comments.scope import CommentScope
from warehouse.reading.program_health.read import PublishedHealth
from warehouse.reading.program_health.scope import HealthScope

FLAG_DAYS = 7
"""Comments are flagged over as many days as by comment-flags, where nothing else is asked."""

LEAST_KEPT = 0.8
"""An engagement rate under this share of the prior one is a drop."""


def read_health(
    errand: Errand,
    project_id: UUID,
    query: HealthQuery,
    projected: Sequence[Projection] | None = None,
) -> ProgramHealthAnswer:
    """Return the health of a project, or of a campaign in it.

    `projected` is what all budgets in question come to, where somebody has worked that out.
    Raises NotFound, and InvalidQuery for a campaign that is not in the project.
    """
    scope = Scope(errand.organization_id, project_id, query.campaign_id)
    campaign = _required(errand.session, scope)
    now = business_now(errand.session)
    asked = _asked(
        scope, query, today_in(errand.caller.analytics_tz, now), errand.caller.analytics_tz
    )
    told = errand.services.health.read(errand.numbers, asked)
    found, as_of = (told[0], told[1].as_of) if told else (PublishedHealth(), None)
    return ProgramHealthAnswer(
        data=_health(
            errand.session,
            scope,
            asked=asked,
            found=found,
            goals=goal_health(errand, scope, asked),
            comment_flags=_comment_flags(errand, scope),
            budgets=reached_budgets(
                projected_budgets(errand, scope) if projected is None else projected
            ),
            campaign=campaign,
            query=query,
            now=now,
        ),
        meta=schemas.HealthMeta(computed_at=now, as_of=as_of),
    )


def _required(session: Session, scope: Scope) -> models.Campaign | None:
    projects.require(session, scope.organization_id, scope.project_id)
    if scope.campaign_id is None:
        return None
    campaign = campaign_rows.find(session, scope.organization_id, scope.campaign_id)
    if campaign is None or campaign.project_id != scope.project_id:
        raise InvalidQuery.at("campaign_id", "is no campaign of the project")
    return campaign


def _asked(scope: Scope, query: HealthQuery, today: date, zone: str) -> HealthScope:
    days = int(query.range.removesuffix("d"))
    return HealthScope(
        organization_id=scope.organization_id,
        project_id=scope.project_id,
        campaign_id=scope.campaign_id,
        from_day=today - timedelta(days=days - 1),
        today=today,
        zone=zone,
    )


def _health(
    session: Session,
    scope: Scope,
    *,
    asked: HealthScope,
    found: PublishedHealth,
    goals: schemas.GoalHealth | None,
    comment_flags: FlagCounts | None,
    budgets: list[ReachedBudget],
    campaign: models.Campaign | None,
    query: HealthQuery,
    now: datetime,
) -> schemas.ProgramHealth:
    accounts = repository.active_accounts(session, scope)
    fresh = tracking.freshness(accounts, now)
    show = Presenter(session, scope, found)
    return schemas.ProgramHealth(
        project_id=scope.project_id,
        campaign=schemas.CampaignRef(id=campaign.id, name=campaign.name) if campaign else None,
        range=query.range,
        window=_window(asked),
        health=health_of(asked.days, found.windows, found.weeks, fresh),
        kpis=_kpis(found, fresh),
        stale_creators=show.stale_creators(),
        goal_compliance=goals,
        alerts=schemas.Alerts(
            roster_churn=_churn(session, scope, asked),
            engagement_rate_drop=_engagement_drop(found),
            sudden_view_drops=show.view_drops(),
            tracking_gaps=tracking.gaps_of(
                accounts,
                found,
                broken_of(session, scope.organization_id, [one.id for one in accounts]),
                now=now,
                from_day=asked.from_day,
                today=asked.today,
            ),
            private_accounts=tracking.private_accounts(accounts),
            disabled_creators=show.disabled_creators(),
            over_posting=show.over_posting(),
            comment_flags=comment_flags,
            disabled_webhooks=disabled_webhooks(session, scope.organization_id),
            overdue_disputes=overdue_disputes(session, scope, now),
            reached_budgets=budgets,
        ),
        top_performers=show.performers(found.top_performers),
        underperformers=show.performers(found.underperformers),
        active_campaigns=show.active_campaigns(),
    )


def _comment_flags(errand: Errand, scope: Scope) -> FlagCounts | None:
    if not errand.caller.plan.comment_insights_enabled:
        return None
    comments = CommentScope(
        organization_id=scope.organization_id,
        project_id=scope.project_id,
        campaign_id=scope.campaign_id,
    )
    return flags.count(errand.session, errand.numbers, comments, flags.last_days(errand, FLAG_DAYS))


def _window(asked: HealthScope) -> schemas.Window:
    return schemas.Window(
        **{"from": asked.from_day},
        to=asked.today,
        prior_from=asked.prior_from,
        prior_to=asked.from_day - timedelta(days=1),
        days=asked.days,
        tz=asked.zone,
    )


def _kpis(found: PublishedHealth, fresh: float | None) -> schemas.Kpis:
    current = found.windows[0]
    return schemas.Kpis(
        views_on_window_posts=current.views,
        posts_in_window=current.posts,
        posts_this_week=found.weeks[0],
        active_creators=current.active_creators,
        scrape_freshness=fresh,
        engagement_rate=current.engagement_rate,
    )


def _churn(session: Session, scope: Scope, asked: HealthScope) -> schemas.RosterChurn:
    added, removed = repository.churn(session, scope, asked.start)
    return schemas.RosterChurn(added=added, removed=removed)


def _engagement_drop(found: PublishedHealth) -> schemas.EngagementRateDrop | None:
    current, prior = (window.engagement_rate for window in found.windows)
    if current is None or not prior or current >= LEAST_KEPT * prior:
        return None
    change = 100 * (current - prior) / prior
    return schemas.EngagementRateDrop(current=current, prior=prior, change_pct=change)
