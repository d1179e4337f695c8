"""Health of a project: the publication's figures and later decisions.

`/projects/{project_id}/program-health`.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.auth.dependencies import Reader
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import from_row, rows_of
from serving_api.kit.schemas import Params
from serving_api.resources.comments.collected import endpoints as collected
from serving_api.resources.comments.collected.signal_schemas import FlagCounts
from serving_api.resources.payouts.accruals.current import accruals_now
from serving_api.resources.payouts.accruals.holds import hold_of, odd_behind_frozen
from serving_api.resources.payouts.assignments.overlaps import paid_twice
from serving_api.resources.payouts.budgets import spend as budget_rows
from serving_api.resources.payouts.budgets.service import committed_spend_of
from serving_api.resources.payouts.budgets.spend import Projection, projections
from serving_api.resources.payouts.disputes.repository import is_overdue
from serving_api.resources.programs.program_health import repository, schemas
from serving_api.resources.programs.program_health.gap_schemas import (
    OddPayment,
    OverdueDispute,
    ReachedBudget,
)
from serving_api.resources.programs.program_health.goals import disabled_webhooks, goal_health
from serving_api.resources.programs.program_health.loading import (
    HealthInputs,
    load,
    tracking_health,
)
from serving_api.resources.programs.program_health.presenter import Presenter
from serving_api.resources.programs.program_health.repository import MOST, Scope, creators_of
from serving_api.resources.programs.program_health.schemas import HealthQuery, ProgramHealthAnswer
from warehouse.operational.models import Creator, PayoutDispute
from warehouse.reading.comments.scope import CommentScope
from warehouse.reading.program_health.read import PublishedHealth
from warehouse.reading.program_health.scope import HealthScope


def odd_payments(context: RequestContext, scope: Scope) -> list[OddPayment]:
    """Return up to 25 paid amounts with anomalies in scope, the latest readings first."""
    with accruals_now(context.session, context.marts, scope.organization_id) as accruals:
        odd = odd_behind_frozen(accruals)
        if not odd:
            return []
        creators = set(context.session.scalars(creators_of(scope).with_only_columns(Creator.id)))
        payments = [
            from_row(OddPayment, accrual, held=hold_of(readings))
            for accrual, readings in odd
            if accrual.creator_id in creators
        ]
    return sorted(
        payments, key=lambda payment: (payment.held.since_at, payment.accrual_id), reverse=True
    )[:MOST]


def overdue_disputes(session: Session, scope: Scope, now: datetime) -> list[OverdueDispute]:
    """Return up to 25 overdue disputes in scope, the oldest first."""
    statement = (
        rows_of(PayoutDispute, scope.organization_id)
        .where(
            PayoutDispute.creator_id.in_(creators_of(scope).with_only_columns(Creator.id)),
            is_overdue(now),
        )
        .order_by(PayoutDispute.due_at, PayoutDispute.id)
        .limit(MOST)
    )
    return [from_row(OverdueDispute, row, dispute_id=row.id) for row in session.scalars(statement)]


FLAG_DAYS = 7
"""The default days of comment-flags."""

LEAST_SHARE = 0.8
"""An engagement rate under this share of the prior one is a drop."""


def read_health(
    context: RequestContext,
    project_id: UUID,
    query: HealthQuery,
    projected: Sequence[Projection] | None = None,
    days: int | None = None,
) -> ProgramHealthAnswer:
    """Return the health of a project, or of a campaign in it, of the query's days or others.

    `projected` are the projections of all budgets in scope, if already computed. Raises NotFound,
    and InvalidQuery for a campaign that is not in the project.
    """
    inputs = load(context, project_id, query, days)
    scope, window = inputs.scope, inputs.window
    return ProgramHealthAnswer(
        data=_health(
            context.session,
            inputs,
            goals=goal_health(context, scope, window),
            comment_flags=_comment_flags(context, scope),
            budgets=reached_budgets(
                projected_budgets(context, scope) if projected is None else projected
            ),
            odd=odd_payments(context, scope),
            query=query,
        ),
        meta=inputs.meta,
    )


def _health(
    session: Session,
    inputs: HealthInputs,
    *,
    goals: schemas.GoalHealth | None,
    comment_flags: FlagCounts | None,
    budgets: list[ReachedBudget],
    odd: list[OddPayment],
    query: HealthQuery,
) -> schemas.ProgramHealth:
    scope, published, campaign = inputs.scope, inputs.published, inputs.campaign
    tracked = tracking_health(session, inputs)
    show = Presenter(session, scope, published)
    return schemas.ProgramHealth(
        project_id=scope.project_id,
        campaign=schemas.CampaignRef(id=campaign.id, name=campaign.name) if campaign else None,
        range=query.range,
        window=_window(inputs.window),
        health=tracked.health,
        kpis=_kpis(published, tracked.fresh),
        stale_creators=show.stale_creators(),
        goal_compliance=goals,
        alerts=schemas.Alerts(
            roster_churn=_churn(session, scope, inputs.window),
            engagement_rate_drop=_engagement_drop(published),
            sudden_view_drops=show.view_drops(published.view_drops),
            unread_views=show.unread_views(),
            tracking_gaps=tracked.gaps,
            private_accounts=tracked.private_accounts,
            disabled_creators=show.disabled_creators(),
            over_posting=show.over_posting(),
            comment_flags=comment_flags,
            disabled_webhooks=disabled_webhooks(session, scope.organization_id),
            overdue_disputes=overdue_disputes(session, scope, inputs.now),
            odd_payments=odd,
            paid_twice=paid_twice(
                session,
                scope.organization_id,
                creators_of(scope).with_only_columns(Creator.id),
                inputs.window.today,
                MOST,
            ),
            reached_budgets=budgets,
        ),
        top_performers=show.performers(published.top_performers),
        underperformers=show.performers(published.underperformers),
        active_campaigns=show.active_campaigns(),
    )


def _comment_flags(context: RequestContext, scope: Scope) -> FlagCounts | None:
    if not context.caller.plan.comment_insights_enabled:
        return None
    comments = CommentScope(
        organization_id=scope.organization_id,
        project_id=scope.project_id,
        campaign_id=scope.campaign_id,
    )
    return collected.count(
        context.session, context.marts, comments, collected.last_days(context, FLAG_DAYS)
    )


def _window(window: HealthScope) -> schemas.Window:
    return schemas.Window(
        **{"from": window.from_day},
        to=window.today,
        prior_from=window.prior_from,
        prior_to=window.from_day - timedelta(days=1),
        days=window.days,
        tz=window.zone,
    )


def _kpis(health: PublishedHealth, fresh: float | None) -> schemas.Kpis:
    current = health.windows[0]
    return schemas.Kpis(
        views_on_window_posts=current.views,
        posts_in_window=current.posts,
        posts_this_week=health.weeks[0],
        active_creators=current.active_creators,
        scrape_freshness=fresh,
        engagement_rate=current.engagement_rate,
    )


def _churn(session: Session, scope: Scope, window: HealthScope) -> schemas.RosterChurn:
    added, removed = repository.churn(session, scope, window.start)
    return schemas.RosterChurn(added=added, removed=removed)


def _engagement_drop(health: PublishedHealth) -> schemas.EngagementRateDrop | None:
    current, prior = (window.engagement_rate for window in health.windows)
    if current is None or not prior or current >= LEAST_SHARE * prior:
        return None
    change = 100 * (current - prior) / prior
    return schemas.EngagementRateDrop(current=current, prior=prior, change_pct=change)


def projected_budgets(context: RequestContext, scope: Scope) -> list[Projection]:
    """Return all budgets of the project or campaign with their projections, oldest first."""
    own = budget_rows.of_project(context.session, scope.organization_id, scope.project_id)
    budgets = [budget for budget in own if scope.campaign_id in (None, budget.campaign_id)]
    return projections(context, budgets)


def reached_budgets(projected: Sequence[Projection]) -> list[ReachedBudget]:
    return [
        ReachedBudget(
            budget_id=projection.spending.budget.id,
            name=projection.spending.budget.name,
            amount_cents=projection.spending.budget.amount_cents,
            on_exceeded=projection.spending.budget.on_exceeded,
            exposure=committed_spend_of(projection),
        )
        for projection in projected
        if projection.spending.reached
    ]


router = keyed_router("projects")


@router.get("/projects/{project_id}/program-health")
def get_program_health(
    *, context: Reader, project_id: UUID, query: Params[HealthQuery]
) -> ProgramHealthAnswer:
    """Return the health of a project or campaign: status, figures and alerts.

    The window ends today and is compared with as many days before. `comment_flags` is null on
    plans without comments.
    """
    return read_health(context, project_id, query)
