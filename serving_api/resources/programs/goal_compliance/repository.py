"""SQL of goal compliance: whose goals are asked for, and what they are now."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from serving_api.kit.filters import among
from serving_api.resources.programs.goal_compliance.schemas import ComplianceQuery
from serving_api.resources.programs.goals import schemas
from warehouse.operational.models import Account, Creator, Goal, GoalState, Project
from warehouse.reading.goals import GoalMetric, GoalPeriod


class InForce(NamedTuple):
    """What of an active goal says how it stands, and the id of its present state."""

    id: UUID
    creator_id: UUID
    metric: GoalMetric
    period: GoalPeriod
    start_date: date | None
    end_date: date | None
    state_id: UUID


class Named(NamedTuple):
    """A creator, and what it is called."""

    id: UUID
    display_name: str | None


def creators(session: Session, project: Project, query: ComplianceQuery) -> Sequence[Named]:
    """Return the creators that the filters leave, newest first; never removed ones."""
    wanted = select(Creator.id, Creator.display_name).where(
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
    found = session.execute(wanted.order_by(Creator.created_at.desc(), Creator.id.desc()))
    return [Named(*row) for row in found]


def goals_in_force(
    session: Session, project: Project, *of_creators: ColumnElement[bool]
) -> Sequence[InForce]:
    """Return the active goals of a project's creators who meet all conditions, oldest first.

    Never those of removed creators. A project has thousands, of which few are told: `goals_of` has
    the rest of those.
    """
    state = (
        select(GoalState.id)
        .where(GoalState.organization_id == Goal.organization_id, GoalState.goal_id == Goal.id)
        .order_by(GoalState.valid_from.desc())
        .limit(1)
        .scalar_subquery()
    )
    columns = (getattr(Goal, name) for name in InForce._fields if name != "state_id")
    wanted = (
        select(*columns, state)
        .join(Creator, Creator.id == Goal.creator_id)
        .where(
            Goal.organization_id == project.organization_id,
            Goal.project_id == project.id,
            Goal.is_active,
            Creator.is_active,
            *of_creators,
        )
    )
    found = session.execute(wanted.order_by(Goal.created_at, Goal.id))
    return [InForce._make(row) for row in found]


def goals_of(
    session: Session, project: Project, ids: Collection[UUID]
) -> Mapping[UUID, schemas.Goal]:
    """Return goals of a project as they are answered. Not checked again: they may be thousands."""
    names = tuple(schemas.Goal.model_fields)
    wanted = select(*(getattr(Goal, name) for name in names)).where(
        Goal.organization_id == project.organization_id,
        Goal.project_id == project.id,
        among(Goal.id, ids),
    )
    found: Sequence[Any] = session.execute(wanted).all() if ids else ()
    return {
        goal.id: schemas.Goal.model_construct(**dict(zip(names, goal, strict=True)))
        for goal in found
    }
