"""SQL of goal compliance: creators and the current state of their goals."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from serving_api.kit.pagination import among
from serving_api.resources.programs.goal_compliance.schemas import ComplianceQuery
from serving_api.resources.programs.goals import schemas
from warehouse.operational.models import Account, Creator, Goal, GoalState, Project
from warehouse.reading.goals import Terms


class Named(NamedTuple):
    """A creator and its display name."""

    id: UUID
    display_name: str | None


def creators(session: Session, project: Project, query: ComplianceQuery) -> Sequence[Named]:
    """Return the active creators that match the filters, newest first."""
    statement = select(Creator.id, Creator.display_name).where(
        Creator.organization_id == project.organization_id,
        Creator.project_id == project.id,
        Creator.is_active,
    )
    if query.creator_id is not None:
        statement = statement.where(Creator.id == query.creator_id)
    if query.platform is not None:
        there = select(Account.id).where(
            Account.creator_id == Creator.id, Account.is_active, Account.platform == query.platform
        )
        statement = statement.where(there.exists())
    rows = session.execute(statement.order_by(Creator.created_at.desc(), Creator.id.desc()))
    return [Named(*row) for row in rows]


def states_in_force(
    session: Session, project: Project, *of_creators: ColumnElement[bool]
) -> Sequence[UUID]:
    """Return the current states of active goals, oldest goals first.

    Only for active creators of the project that meet all conditions.
    """
    present = (
        select(GoalState.id, Goal.created_at, GoalState.goal_id)
        .ext(distinct_on(GoalState.goal_id))
        .join(Goal, Goal.id == GoalState.goal_id)
        .join(Creator, Creator.id == Goal.creator_id)
        .where(
            Goal.organization_id == project.organization_id,
            Goal.project_id == project.id,
            Goal.is_active,
            Creator.is_active,
            *of_creators,
        )
        .order_by(GoalState.goal_id, GoalState.valid_from.desc())
        .subquery()
    )
    oldest_first = select(present.c.id).order_by(present.c.created_at, present.c.goal_id)
    return session.scalars(oldest_first).all()


def terms_of(
    session: Session, project: Project, state_ids: Collection[UUID]
) -> Mapping[UUID, Terms]:
    if not state_ids:
        return {}
    statement = select(
        GoalState.goal_id,
        GoalState.creator_id,
        GoalState.metric,
        GoalState.period,
        GoalState.start_date,
        GoalState.end_date,
        GoalState.id,
    ).where(
        GoalState.organization_id == project.organization_id,
        GoalState.project_id == project.id,
        among(GoalState.id, state_ids),
    )
    rows: Sequence[Any] = session.execute(statement).all()
    return {row.id: Terms(*row) for row in rows}


def goals_of(
    session: Session, project: Project, ids: Collection[UUID]
) -> Mapping[UUID, schemas.Goal]:
    """Return goals of a project as answers, without validation: there may be thousands."""
    names = tuple(schemas.Goal.model_fields)
    statement = select(*(getattr(Goal, name) for name in names)).where(
        Goal.organization_id == project.organization_id,
        Goal.project_id == project.id,
        among(Goal.id, ids),
    )
    rows: Sequence[Any] = session.execute(statement).all() if ids else ()
    return {
        goal.id: schemas.Goal.model_construct(**dict(zip(names, goal, strict=True)))
        for goal in rows
    }
