"""Goals in program health, at risk or missed, and webhook endpoints disabled automatically."""

from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import nsmallest
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import from_row
from serving_api.resources.organization import projects
from serving_api.resources.organization.webhooks.repository import disabled_automatically
from serving_api.resources.programs.goal_compliance.goal_states import GoalState
from serving_api.resources.programs.goal_compliance.repository import goals_of, states_in_force
from serving_api.resources.programs.goal_compliance.service import stand_of
from serving_api.resources.programs.goals.schemas import Goal
from serving_api.resources.programs.program_health import repository
from serving_api.resources.programs.program_health.gap_schemas import DisabledWebhook
from serving_api.resources.programs.program_health.repository import Scope
from serving_api.resources.programs.program_health.schemas import (
    AtRiskGoal,
    GoalHealth,
)
from warehouse.operational.models import Project, WebhookEndpoint
from warehouse.reading.goals import MissedQuery, Terms, missed_goals
from warehouse.reading.program_health.scope import HealthScope

MOST_AT_RISK = 8


def goal_health(context: RequestContext, scope: Scope, window: HealthScope) -> GoalHealth | None:
    """Return the goal health of the creators in scope, or None before the first publication."""
    project = projects.require(context.session, scope.organization_id, scope.project_id)
    last = MissedQuery(scope.organization_id, scope.project_id, window.from_day, window.today)
    answer = context.marts.cached(missed_goals, last, len)
    if answer is None:
        return None
    states = states_in_force(context.session, project, *repository.of_campaign(scope))
    in_force, stood = stand_of(context, project, window.today, states)
    counted = _counted(context, scope, stood)
    by_status = Counter(goal_state.numbers.status for goal_state in counted)
    at_risk = [goal_state for goal_state in counted if goal_state.numbers.status == "at_risk"]
    return GoalHealth(
        on_track=by_status["on_track"],
        at_risk=by_status["at_risk"],
        missed=sum(goal.id.int in answer[0] for goal in in_force),
        at_risk_goals=_furthest_behind(context.session, scope, project, at_risk),
    )


def _counted(
    context: RequestContext, scope: Scope, stood: Sequence[GoalState[Goal | Terms]]
) -> list[GoalState[Goal | Terms]]:
    """Return the counting goal states of creators in scope; current goals are in scope already."""
    others = {
        goal_state.goal.creator_id for goal_state in stood if isinstance(goal_state.goal, Goal)
    }
    present = repository.present_creators(context.session, scope, others)
    return [
        goal_state
        for goal_state in stood
        if goal_state.counts
        and (isinstance(goal_state.goal, Terms) or goal_state.goal.creator_id in present)
    ]


def _furthest_behind(
    session: Session, scope: Scope, project: Project, at_risk: Sequence[GoalState[Goal | Terms]]
) -> list[AtRiskGoal]:
    worst = nsmallest(
        MOST_AT_RISK,
        at_risk,
        key=lambda goal_state: (goal_state.numbers.percentage or 0, goal_state.goal.id),
    )
    goals = goals_of(session, project, [goal_state.goal.id for goal_state in worst])
    owners = {goal_state.goal.creator_id for goal_state in worst}
    named = repository.creator_refs(session, scope.organization_id, owners)
    return [
        AtRiskGoal(
            **dict(named[goal_state.goal.creator_id]),
            goal_id=goal_state.goal.id,
            metric=goal_state.goal.metric,
            period=goal_state.goal.period,
            target=goals[goal_state.goal.id].target_value,
            actual=goal_state.numbers.actual or 0,
            percentage=goal_state.numbers.percentage or 0,
        )
        for goal_state in worst
    ]


HAPPENED: Mapping[str, str] = {
    "gone": "The endpoint answered 410 Gone.",
    "failing": "The endpoint accepted no message for three days; its deliveries show the errors.",
}
WAY_OUT = (
    "An org admin can delete it, or fix the receiver, enable the endpoint again (PATCH"
    " /webhook-endpoints/{endpoint_id}) and resend the missed events (POST .../redeliver"
    " with `since`)."
)


def disabled_webhooks(session: Session, organization_id: UUID) -> list[DisabledWebhook]:
    """Return the endpoints that were disabled automatically, the latest first."""
    return [_present(endpoint) for endpoint in disabled_automatically(session, organization_id)]


def _present(endpoint: WebhookEndpoint) -> DisabledWebhook:
    detail = f"{HAPPENED[endpoint.disabled_reason or '']} {WAY_OUT}"
    return from_row(DisabledWebhook, endpoint, endpoint_id=endpoint.id, detail=detail)
