"""`/projects/{project_id}/goal-compliance` and `/analytics/aggregate/goal-compliance`."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.auth.dependencies import Reader
from serving_api.errors import InvalidQuery, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.organization import projects
from serving_api.resources.programs.goal_compliance import repository, schemas
from serving_api.resources.programs.goal_compliance.goal_states import (
    GoalState,
    Moment,
    goal_states,
)
from serving_api.resources.programs.goal_compliance.presenter import (
    AnyKind,
    advisory_of,
    compliance_of,
    counts_of,
    judged_creator,
)
from serving_api.resources.programs.goals.schemas import Goal
from serving_api.resources.tracking.accounts import repository as accounts
from warehouse.operational.models import Account, Creator, Project
from warehouse.reading.goal_forecasts import GoalForecast, goal_forecasts
from warehouse.reading.goals import GoalPeriod, GoalStatus, Judged, JudgedQuery, Terms, judged_goals

NOTHING_JUDGED = Judged((), {})


@dataclass(frozen=True, slots=True)
class _Scope:
    """The creators with a matching goal, newest first, and the states of their goals."""

    project: Project
    query: schemas.ComplianceQuery
    day: date
    creators: Sequence[repository.Named]
    by_creator: Mapping[UUID, Sequence[GoalState[AnyKind]]]


def list_compliance(
    context: RequestContext, project_id: UUID, query: schemas.ComplianceQuery
) -> schemas.ComplianceAnswer:
    """Return goal compliance by creator; creators without a goal are left out.

    Raises NotFound, and InvalidQuery for a day in the future.
    """
    scope = _load_scope(context, project_id, query)
    return schemas.ComplianceAnswer(
        data=_describe_creators(context, scope, scope.creators),
        meta=schemas.ComplianceMeta(org_tz=context.marts_zone, reference_date=scope.day),
    )


def list_first(
    context: RequestContext, project_id: UUID, most: int, statuses: Collection[GoalStatus] = ()
) -> tuple[list[schemas.CreatorCompliance], int]:
    """Return the first `most` creators of today's list, and how many more there are.

    With `statuses`, only goals that count with one of them. Raises NotFound.
    """
    scope = _load_scope(context, project_id, schemas.ComplianceQuery())
    if statuses:
        scope = _of_statuses(scope, statuses)
    compliance = _describe_creators(context, scope, scope.creators[:most])
    return compliance, len(scope.creators) - len(compliance)


def _load_scope(
    context: RequestContext, project_id: UUID, query: schemas.ComplianceQuery
) -> _Scope:
    project = projects.require(context.session, context.organization_id, project_id)
    day = _reference_day(context, query)
    creators = repository.creators(context.session, project, query)
    conditions = () if query.creator_id is None else (Creator.id == query.creator_id,)
    states = repository.states_in_force(context.session, project, *conditions)
    _, stood = stand_of(context, project, day, states, query.creator_id)
    by_creator = _by_creator(stood, query.period, creators)
    with_goals = [creator for creator in creators if creator.id in by_creator]
    return _Scope(project, query, day, with_goals, by_creator)


def _of_statuses(scope: _Scope, statuses: Collection[GoalStatus]) -> _Scope:
    listed = {
        creator_id: [each for each in some if each.counts and each.numbers.status in statuses]
        for creator_id, some in scope.by_creator.items()
    }
    creators = [creator for creator in scope.creators if listed[creator.id]]
    return replace(scope, creators=creators, by_creator=listed)


def _describe_creators(
    context: RequestContext, scope: _Scope, creators: Sequence[repository.Named]
) -> list[schemas.CreatorCompliance]:
    owned = _accounts(context.session, scope.project, creators)
    stood = _in_full(context, scope, creators)
    expected = _forecasts(
        context, scope.project, [goal_state.goal.id for some in stood for goal_state in some]
    )
    now = context.now
    return [
        schemas.CreatorCompliance(
            creator=judged_creator(creator, owned[creator.id]),
            compliance=[
                compliance_of(
                    goal_state,
                    expected.get(goal_state.goal.id),
                    advisory_of(goal_state, owned[creator.id], now),
                )
                for goal_state in goal_states_of_creator
            ],
        )
        for creator, goal_states_of_creator in zip(creators, stood, strict=True)
    ]


def _in_full(
    context: RequestContext, scope: _Scope, creators: Sequence[repository.Named]
) -> list[list[GoalState[Goal]]]:
    stood = [scope.by_creator[creator.id] for creator in creators]
    ids = [goal_state.goal.id for some in stood for goal_state in some]
    goals = repository.goals_of(context.session, scope.project, ids)
    return [
        [
            GoalState(
                goal_state.goal if isinstance(goal_state.goal, Goal) else goals[goal_state.goal.id],
                goal_state.span,
                goal_state.numbers,
                goal_state.is_started,
            )
            for goal_state in some
        ]
        for some in stood
    ]


def stand_of(
    context: RequestContext,
    project: Project,
    day: date,
    states: Sequence[UUID],
    creator_id: UUID | None = None,
) -> tuple[list[Terms], list[GoalState[AnyKind]]]:
    """Return the goals in force, and every goal's state in its period that contains `day`.

    `states` are the states in force, of `creator_id` or of all creators. Only states that the
    publication does not have are read from PostgreSQL.
    """
    query = JudgedQuery(context.organization_id, project.id, day, creator_id)
    answer = context.marts.cached(judged_goals, query, lambda judged: judged.rows)
    judged, as_of = (answer[0], answer[1].as_of) if answer else (NOTHING_JUDGED, None)
    known = [judged.by_state.get(state_id.int) for state_id in states]
    others = [state_id for state_id, row in zip(states, known, strict=True) if row is None]
    terms = repository.terms_of(context.session, project, others)
    in_force = [
        (row.terms if row else terms[state_id], row)
        for state_id, row in zip(states, known, strict=True)
    ]
    moment = Moment(day, context.marts_zone, context.now, as_of)
    stood = list(goal_states(judged.goals, in_force, moment))
    return [terms_in_force for terms_in_force, _ in in_force], stood


def _forecasts(
    context: RequestContext, project: Project, goal_ids: Sequence[UUID]
) -> Mapping[UUID, GoalForecast]:
    with context.marts.cursor() as cursor:
        if cursor is None:
            return {}
        return goal_forecasts(cursor, context.organization_id, project.id, goal_ids)


def _accounts(
    session: Session, project: Project, creators: Sequence[repository.Named]
) -> defaultdict[UUID, list[Account]]:
    owned: defaultdict[UUID, list[Account]] = defaultdict(list)
    ids = [creator.id for creator in creators]
    for account in accounts.present_of_creators(session, project.organization_id, ids):
        owned[account.creator_id].append(account)
    return owned


def _reference_day(context: RequestContext, query: schemas.DayQuery) -> date:
    today = context.marts_today
    if query.reference_date is not None and query.reference_date > today:
        raise InvalidQuery.at("reference_date", f"must not be later than today ({today})")
    return query.reference_date or today


def _by_creator(
    goal_states_of_day: Iterable[GoalState[AnyKind]],
    period: GoalPeriod | None,
    creators: Sequence[repository.Named],
) -> defaultdict[UUID, list[GoalState[AnyKind]]]:
    listed = {creator.id for creator in creators}
    grouped: defaultdict[UUID, list[GoalState[AnyKind]]] = defaultdict(list)
    for goal_state in goal_states_of_day:
        if goal_state.goal.creator_id in listed and period in (None, goal_state.goal.period):
            grouped[goal_state.goal.creator_id].append(goal_state)
    return grouped


router = keyed_router("goals")


@router.get("/projects/{project_id}/goal-compliance")
def get_goal_compliance(
    *, context: Reader, project_id: UUID, query: Params[schemas.ComplianceQuery]
) -> schemas.ComplianceAnswer:
    """Return the goal status of a project's creators. The newest creators come first."""
    return list_compliance(context, project_id, query)


@router.get("/analytics/aggregate/goal-compliance", responses=answers(NotFound))
def count_goal_compliance(
    *, context: Reader, query: Params[schemas.CountsQuery]
) -> schemas.CountsAnswer:
    """Count the goals of a project's creators by status, metric and period."""
    project = projects.require(context.session, context.organization_id, query.project_id)
    day = _reference_day(context, query)
    creators = repository.creators(context.session, project, schemas.ComplianceQuery())
    states = repository.states_in_force(context.session, project)
    _, stood = stand_of(context, project, day, states)
    goal_states_of_day = [
        goal_state
        for listed in _by_creator(stood, query.period, creators).values()
        for goal_state in listed
        if goal_state.counts
    ]
    return schemas.CountsAnswer(
        data=counts_of(goal_states_of_day),
        meta=schemas.ComplianceMeta(org_tz=context.marts_zone, reference_date=day),
    )
