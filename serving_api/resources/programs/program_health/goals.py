"""The goals in program health: how many are on track, at risk, or missed; which are at risk."""

from collections import Counter
from collections.abc import Sequence
from heapq import nsmallest

from sqlalchemy.orm import Session

from serving_api.kit.request_context import RequestContext
from serving_api.resources.organization import projects
from serving_api.resources.programs.goal_compliance.repository import goals_of, states_in_force
from serving_api.resources.programs.goal_compliance.service import stand_of
from serving_api.resources.programs.goal_compliance.standing import Standing
from serving_api.resources.programs.goals.schemas import Goal
from serving_api.resources.programs.program_health import repository
from serving_api.resources.programs.program_health.repository import Scope
from serving_api.resources.programs.program_health.schemas import AtRiskGoal, GoalHealth
from warehouse.operational.models import Project
from warehouse.reading.goals import MissedQuery, Terms, missed_goals
from warehouse.reading.program_health.scope import HealthScope

MOST_AT_RISK = 8


def goal_health(context: RequestContext, scope: Scope, asked: HealthScope) -> GoalHealth | None:
    """Return how the goals of the creators in scope do; None before the first publication."""
    project = projects.require(context.session, scope.organization_id, scope.project_id)
    last = MissedQuery(scope.organization_id, scope.project_id, asked.from_day, asked.today)
    told = context.marts.worked_out(missed_goals, last, len)
    if told is None:
        return None
    states = states_in_force(context.session, project, *repository.of_campaign(scope))
    in_force, stood = stand_of(context, project, asked.today, states)
    counted = _counted(context, scope, stood)
    by_status = Counter(one.numbers.status for one in counted)
    at_risk = [one for one in counted if one.numbers.status == "at_risk"]
    return GoalHealth(
        on_track=by_status["on_track"],
        at_risk=by_status["at_risk"],
        missed=sum(goal.id.int in told[0] for goal in in_force),
        at_risk_goals=_furthest_behind(context.session, scope, project, at_risk),
    )


def _counted(
    context: RequestContext, scope: Scope, stood: Sequence[Standing[Goal | Terms]]
) -> list[Standing[Goal | Terms]]:
    """Return those that count, of creators in scope: goals in force are of such alone."""
    others = {one.goal.creator_id for one in stood if isinstance(one.goal, Goal)}
    present = repository.present_creators(context.session, scope, others)
    return [
        one
        for one in stood
        if one.counts and (isinstance(one.goal, Terms) or one.goal.creator_id in present)
    ]


def _furthest_behind(
    session: Session,
    scope: Scope,
    project: Project,
    at_risk: Sequence[Standing[Goal | Terms]],
) -> list[AtRiskGoal]:
    shown = nsmallest(
        MOST_AT_RISK, at_risk, key=lambda one: (one.numbers.percentage or 0, one.goal.id)
    )
    goals = goals_of(session, project, [one.goal.id for one in shown])
    owners = {one.goal.creator_id for one in shown}
    named = repository.creator_refs(session, scope.organization_id, owners)
    return [
        AtRiskGoal(
            **dict(named[one.goal.creator_id]),
            goal_id=one.goal.id,
            metric=one.goal.metric,
            period=one.goal.period,
            target=goals[one.goal.id].target_value,
            actual=one.numbers.actual or 0,
            percentage=one.numbers.percentage or 0,
        )
        for one in shown
    ]
