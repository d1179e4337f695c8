"""SQL of goal compliance: whose goals are asked for, and what they are now."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.resources.programs.goal_compliance.schemas import ComplianceQuery
from warehouse.operational.models import Account, Creator, Goal, GoalState, Project


def creators(session: Session, project: Project, query: ComplianceQuery) -> Sequence[Creator]:
    """Return the creators that the filters leave, newest first; never removed ones."""
    wanted = select(Creator).where(
        Creator.organization_id == project.organization_id,
        Creator.project_id == project.id,
        Creator.is_active,
    )
    if query.creator_id is not None:
        wanted = wanted.where(Creator.id == query.creator_id)
    if query.platform is not None:
        there = select(Account.id).where(
            Account.creator_id == Creator.id,
            Account.is_active,
            Account.platform == query.platform,
        )
        wanted = wanted.where(there.exists())
    return session.scalars(wanted.order_by(Creator.created_at.desc(), Creator.id.desc())).all()


def goals_in_force(
    session: Session, project: Project, creator_id: UUID | None
) -> Sequence[tuple[Goal, UUID]]:
    """Return the active goals, oldest first, each with the id of its present state.

    Of one creator of the project, or of all.
    """
    state = (
        select(GoalState.id)
        .where(GoalState.organization_id == Goal.organization_id, GoalState.goal_id == Goal.id)
        .order_by(GoalState.valid_from.desc())
        .limit(1)
        .scalar_subquery()
    )
    wanted = select(Goal, state).where(
        Goal.organization_id == project.organization_id,
        Goal.project_id == project.id,
        Goal.is_active,
    )
    if creator_id is not None:
        wanted = wanted.where(Goal.creator_id == creator_id)
    found = session.execute(wanted.order_by(Goal.created_at, Goal.id))
    return [(goal, state_id) for goal, state_id in found]
