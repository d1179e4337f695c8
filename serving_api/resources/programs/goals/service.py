"""`/creators/{creator_id}/goals`. Each state is stored with its dates, so that results stay."""

from collections.abc import Collection
from datetime import date, timedelta
from uuid import UUID

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import Conflict, CreatorInactive, InvalidBody, VersionConflict
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import Keyset, PageQuery, among, read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import (
    from_row,
    lock_own,
    require_own,
    require_row,
    require_version,
    rows_of,
    values_of,
    version_of,
)
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.programs.goals import schemas
from serving_api.resources.tracking.accounts import repository as accounts
from warehouse.operational import models
from warehouse.operational.dated import record_goal_state
from warehouse.operational.models import Creator, Goal, GoalState

MOST_GOALS = 50
MOST_MADE = 200
"""Goals of a creator that were made, changed or deleted in LONGEST_BACK."""
LONGEST_BACK = timedelta(days=366)
"""A daily goal has a row for each of its days in every pipeline run, also when it is deleted."""
NEWEST_FIRST = Keyset(Goal.created_at, Goal.id, "goals")


def of_creator(creator: Creator) -> Select[Goal]:
    """Select all goals of a creator, including inactive ones."""
    return rows_of(Goal, creator.organization_id).where(Goal.creator_id == creator.id)


def of_listed_creators(organization_id: UUID, project_id: UUID | None) -> Select[Goal]:
    """Select the goals of active creators, of one project or of all."""
    statement = (
        select(Goal)
        .join(Creator, Creator.id == Goal.creator_id)
        .where(Goal.organization_id == organization_id, Creator.is_active)
    )
    return statement if project_id is None else statement.where(Goal.project_id == project_id)


CHANGEABLE = ("metric", "period", "target_value", "is_active", "start_date", "end_date")


def list_page(
    context: RequestContext, creator_id: UUID, query: PageQuery
) -> Page[schemas.VersionedGoal]:
    """Return a page of a creator's goals, newest first. Raises NotFound."""
    creator = _creator(context, creator_id)
    keyset = NEWEST_FIRST.of(creator_id)
    page_slice = read_slice(context.session, of_creator(creator), keyset, query)
    return page_slice.page(lambda rows: [present(row) for row in rows])


def read(context: RequestContext, creator_id: UUID, goal_id: UUID) -> schemas.VersionedGoal:
    """Return a goal. Raises NotFound for the creator or the goal."""
    own = of_creator(_creator(context, creator_id))
    goal = require_row(context.session.scalar(own.where(models.Goal.id == goal_id)), "Goal")
    return present(goal)


def create(context: WriteContext, creator_id: UUID, body: schemas.NewGoal) -> schemas.VersionedGoal:
    """Create a goal.

    Raises NotFound, CreatorInactive, Conflict at the limit, and InvalidBody for another creator's
    account or an old start_date.
    """
    creator = lock_own(context, models.Creator, creator_id, "Creator")
    if not creator.is_active:
        raise CreatorInactive
    _require_room(context, creator)
    _require_recent(context, body.start_date)
    if body.account_id is not None:
        _require_account(context.session, creator, body.account_id)
    goal = models.Goal(
        organization_id=creator.organization_id,
        project_id=creator.project_id,
        creator_id=creator.id,
        metric=body.metric,
        period=body.period,
        target_value=body.target_value,
        start_date=body.start_date,
        end_date=body.end_date,
        is_active=True,
        platform_scope=body.platform_scope or "all",
        platform=body.platform,
        account_id=body.account_id,
    )
    context.session.add(goal)
    context.session.flush()
    record_goal_state(context.session, goal, context.now)
    return present(goal)


def change(
    context: WriteContext, creator_id: UUID, goal_id: UUID, changes: schemas.GoalChanges
) -> schemas.VersionedGoal:
    """Change a goal from now on; ended periods keep their result (money.md M21).

    Raises NotFound, VersionConflict, and InvalidBody for an end_date before the start_date or an
    old start_date.
    """
    goal = _locked(context, creator_id, goal_id)
    require_version(changes.expected_version, values_of(present(goal), CHANGEABLE))
    start_date = goal.start_date
    changes.apply_to(goal, *CHANGEABLE)
    if goal.start_date != start_date:
        _require_recent(context, goal.start_date)
    if goal.start_date and goal.end_date and goal.end_date < goal.start_date:
        raise InvalidBody.at("end_date", "must not be earlier than start_date")
    context.session.flush()
    record_goal_state(context.session, goal, context.now)
    return present(goal)


def delete(
    context: WriteContext, creator_id: UUID, goal_id: UUID, expected_version: str | None = None
) -> None:
    """Delete a goal: the current period and later ones are not evaluated.

    Raises NotFound and VersionConflict.
    """
    goal = _locked(context, creator_id, goal_id)
    require_version(expected_version, values_of(present(goal), CHANGEABLE))
    record_goal_state(context.session, goal, context.now, is_deleted=True)
    context.session.delete(goal)


def delete_unchanged(context: WriteContext, project_id: UUID, ids: Collection[UUID]) -> int:
    """Delete a project's goals that were never changed; return how many."""
    unchanged = rows_of(Goal, context.organization_id).where(
        Goal.project_id == project_id, among(Goal.id, ids), Goal.updated_at == Goal.created_at
    )
    goals = context.session.scalars(unchanged.order_by(Goal.id).with_for_update()).all()
    for goal in goals:
        record_goal_state(context.session, goal, context.now, is_deleted=True)
        context.session.delete(goal)
    return len(goals)


def present(row: models.Goal) -> schemas.VersionedGoal:
    goal = from_row(schemas.Goal, row)
    version = version_of(values_of(goal, CHANGEABLE))
    return schemas.VersionedGoal(**goal.model_dump(), version=version)


def _creator(context: RequestContext, creator_id: UUID) -> models.Creator:
    return require_own(context, models.Creator, creator_id, "Creator")


def _require_account(session: Session, creator: models.Creator, account_id: UUID) -> None:
    owned = accounts.present_of_creators(session, creator.organization_id, [creator.id])
    if account_id not in {account.id for account in owned}:
        raise InvalidBody.at("account_id", "must be an account of this creator")


def _require_room(context: WriteContext, creator: models.Creator) -> None:
    session, since = context.session, context.now - LONGEST_BACK
    made = rows_of(GoalState, creator.organization_id).where(
        GoalState.creator_id == creator.id, GoalState.valid_from > since
    )
    owned = of_creator(creator).with_only_columns(func.count())
    if (session.scalar(owned) or 0) >= MOST_GOALS:
        problem = f"A creator can have at most {MOST_GOALS} goals. Delete one first"
        raise Conflict(problem, reason="too_many_goals")
    goals = func.count(GoalState.goal_id.distinct())
    if (session.scalar(made.with_only_columns(goals)) or 0) >= MOST_MADE:
        problem = f"A creator can have at most {MOST_MADE} goals a year, deleted ones included"
        raise Conflict(f"{problem}. Change one instead", reason="too_many_goals")


def _require_recent(context: WriteContext, start_date: date | None) -> None:
    today = context.today
    if start_date and start_date < today - LONGEST_BACK:
        earliest = today - LONGEST_BACK
        raise InvalidBody.at("start_date", f"must not be earlier than {earliest}, a year ago")


def _locked(context: WriteContext, creator_id: UUID, goal_id: UUID) -> models.Goal:
    own = Goal.creator_id == _creator(context, creator_id).id
    return lock_own(context, Goal, goal_id, "Goal", own, key_share=False)


router = keyed_router("goals")

GOALS = "/creators/{creator_id}/goals"
GOAL = GOALS + "/{goal_id}"


@router.get(GOALS)
def list_goals(
    *, context: Reader, creator_id: UUID, query: Params[PageQuery]
) -> Page[schemas.VersionedGoal]:
    """List a creator's goals, including inactive ones. The newest comes first."""
    return list_page(context, creator_id, query)


@router.post(GOALS, status_code=201, responses=answers(Conflict, CreatorInactive))
@idempotent()
def create_goal(
    *, context: Writer, creator_id: UUID, body: schemas.NewGoal
) -> Envelope[schemas.VersionedGoal]:
    """Create a goal: a target of a creator for each day, week or month. At most 50 per creator."""
    return Envelope(data=create(context, creator_id, body))


@router.patch(GOAL, responses=answers(VersionConflict))
def change_goal(
    *, context: Writer, creator_id: UUID, goal_id: UUID, changes: schemas.GoalChanges
) -> Envelope[schemas.VersionedGoal]:
    """Change a goal. Periods that have ended keep their result."""
    return Envelope(data=change(context, creator_id, goal_id, changes))


@router.delete(GOAL)
def delete_goal(*, context: Writer, creator_id: UUID, goal_id: UUID) -> Envelope[Deleted]:
    """Delete a goal permanently. Periods that have ended keep their result."""
    delete(context, creator_id, goal_id)
    return Envelope(data=Deleted())
