"""Goal compliance of a project: listed by creator, and counted."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import get_args
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.errors import InvalidQuery
from serving_api.kit.days import today_in
from serving_api.kit.errand import Errand
from serving_api.resources.organization import projects
from serving_api.resources.programs.goal_compliance import repository, schemas
from serving_api.resources.programs.goal_compliance.advisories import advisory_of
from serving_api.resources.programs.goal_compliance.standing import Moment, Standing, standings
from serving_api.resources.programs.goals.service import shown
from serving_api.resources.tracking.accounts import repository as accounts
from serving_api.resources.tracking.creators.presenter import primary
from warehouse.operational.base import business_now
from warehouse.operational.models import Account, Creator, Project
from warehouse.reading.goal_forecasts import GoalForecast, goal_forecasts
from warehouse.reading.goals import GoalMetric, GoalPeriod, judged_goals


def list_compliance(
    errand: Errand,
    project_id: UUID,
    query: schemas.ComplianceQuery,
) -> schemas.ComplianceAnswer:
    """Return how the goals of the project's creators stand; creators without one are left out.

    Raises NotFound, and InvalidQuery for a day that is still to come.
    """
    project = projects.require(errand.session, errand.organization_id, project_id)
    day = _reference_day(errand, query)
    creators = repository.creators(errand.session, project, query)
    stood = stand_of(errand, project, day, query.creator_id)
    by_creator = _by_creator(stood, query.period, creators)
    owned = _accounts(errand.session, project, creators)
    expected = _forecasts(errand, project, query.creator_id)
    now = business_now(errand.session)
    return schemas.ComplianceAnswer(
        data=[
            schemas.CreatorCompliance(
                creator=_creator(creator, owned[creator.id]),
                compliance=[
                    _compliance(
                        standing,
                        expected.get(standing.goal.id),
                        advisory_of(standing, owned[creator.id], now),
                    )
                    for standing in by_creator[creator.id]
                ],
            )
            for creator in creators
            if by_creator[creator.id]
        ],
        meta=schemas.ComplianceMeta(org_tz=errand.caller.analytics_tz, reference_date=day),
    )


def count_compliance(errand: Errand, query: schemas.CountsQuery) -> schemas.CountsAnswer:
    """Return how many goals of the project's creators have each status.

    Raises NotFound, and InvalidQuery for a day that is still to come.
    """
    project = projects.require(errand.session, errand.organization_id, query.project_id)
    day = _reference_day(errand, query)
    creators = repository.creators(errand.session, project, schemas.ComplianceQuery())
    stood = stand_of(errand, project, day)
    found = [
        standing
        for listed in _by_creator(stood, query.period, creators).values()
        for standing in listed
        if standing.counts
    ]
    return schemas.CountsAnswer(
        data=_counts(found),
        meta=schemas.ComplianceMeta(org_tz=errand.caller.analytics_tz, reference_date=day),
    )


def stand_of(
    errand: Errand, project: Project, day: date, creator_id: UUID | None = None
) -> list[Standing]:
    """Return how every goal stands in its period that holds `day`, of one creator or of all."""
    whose = (errand.organization_id, project.id, day, creator_id)
    with errand.numbers.reading() as reading:
        judged = judged_goals(reading[0], *whose) if reading else []
        as_of = reading[1].as_of if reading else None
    moment = Moment(day, errand.caller.analytics_tz, business_now(errand.session), as_of)
    goals = repository.goals_in_force(errand.session, project, creator_id)
    return list(standings(judged, [(shown(goal), state) for goal, state in goals], moment))


def _forecasts(
    errand: Errand, project: Project, creator_id: UUID | None
) -> Mapping[UUID, GoalForecast]:
    with errand.numbers.cursor() as cursor:
        if cursor is None:
            return {}
        return goal_forecasts(cursor, errand.organization_id, project.id, creator_id)


def _reference_day(errand: Errand, query: schemas.DayQuery) -> date:
    today = today_in(errand.caller.analytics_tz, business_now(errand.session))
    if query.reference_date is not None and query.reference_date > today:
        raise InvalidQuery.at("reference_date", f"must not be later than today, {today}")
    return query.reference_date or today


def _by_creator(
    found: Iterable[Standing], period: GoalPeriod | None, creators: Sequence[Creator]
) -> defaultdict[UUID, list[Standing]]:
    listed = {creator.id for creator in creators}
    grouped: defaultdict[UUID, list[Standing]] = defaultdict(list)
    for standing in found:
        if standing.goal.creator_id in listed and period in (None, standing.goal.period):
            grouped[standing.goal.creator_id].append(standing)
    return grouped


def _accounts(
    session: Session, project: Project, creators: Sequence[Creator]
) -> defaultdict[UUID, list[Account]]:
    owned: defaultdict[UUID, list[Account]] = defaultdict(list)
    ids = [creator.id for creator in creators]
    for account in accounts.kept_by_creators(session, project.organization_id, ids):
        owned[account.creator_id].append(account)
    return owned


def _creator(creator: Creator, owned: Sequence[Account]) -> schemas.JudgedCreator:
    named_by = primary(owned)
    return schemas.JudgedCreator(
        id=creator.id,
        handle=named_by.handle if named_by else None,
        display_name=creator.display_name,
        avatar_url=named_by.avatar_url if named_by else None,
    )


def _compliance(
    standing: Standing, expected: GoalForecast | None, advisory: schemas.Advisory
) -> schemas.Compliance:
    is_running = advisory.period_in_progress and standing.numbers.actual is not None
    return schemas.Compliance(
        goal=standing.goal,
        target=standing.goal.target_value,
        actual=standing.numbers.actual,
        percentage=standing.numbers.percentage,
        status=standing.numbers.status,
        forecast=_forecast(expected, standing) if is_running else None,
        advisory=advisory,
    )


def _forecast(found: GoalForecast | None, standing: Standing) -> schemas.ForecastOfGoal | None:
    """Return what is told of a forecast: nothing where the publication is of an earlier period."""
    if found is None or found.period_start != standing.span.first:
        return None
    shown = None if found.hidden_because else found
    return schemas.ForecastOfGoal(
        expected=shown and shown.expected,
        low=shown and shown.low,
        high=shown and shown.high,
        baseline=found.baseline,
        outlook=shown and shown.outlook,
        hidden_because=found.hidden_because,
    )


def _counts(found: Sequence[Standing]) -> schemas.ComplianceCounts:
    metrics: tuple[GoalMetric, ...] = get_args(GoalMetric)
    periods: tuple[GoalPeriod, ...] = get_args(GoalPeriod)
    return schemas.ComplianceCounts(
        **dict(_count(found)),
        by_metric={
            metric: _count([one for one in found if one.goal.metric == metric])
            for metric in metrics
        },
        by_period={
            period: _count([one for one in found if one.goal.period == period])
            for period in periods
        },
    )


def _count(found: Sequence[Standing]) -> schemas.Counts:
    statuses = Counter(str(one.numbers.status) for one in found)
    return schemas.Counts(total=len(found), **statuses)
