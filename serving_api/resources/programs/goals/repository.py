"""SQL of goals. Every statement names the organization."""

from uuid import UUID

from sqlalchemy import Select, select

from serving_api.kit.pagination import Keyset
from warehouse.operational.models import Creator, Goal
from warehouse.operational.session import WriteSession

NEWEST_FIRST = Keyset(Goal.created_at, Goal.id, "goals")


def of_creator(creator: Creator) -> Select[Goal]:
    """Select every goal of a creator, inactive ones too."""
    return select(Goal).where(
        Goal.organization_id == creator.organization_id, Goal.creator_id == creator.id
    )


def of_listed_creators(organization_id: UUID, project_id: UUID | None) -> Select[Goal]:
    """Select the goals of the creators that lists show, of one project or of all."""
    statement = (
        select(Goal)
        .join(Creator, Creator.id == Goal.creator_id)
        .where(Goal.organization_id == organization_id, Creator.is_active)
    )
    return statement if project_id is None else statement.where(Goal.project_id == project_id)


def lock(session: WriteSession, creator: Creator, goal_id: UUID) -> Goal | None:
    """Return the goal for writing; None if the creator has none of this id."""
    return session.scalar(of_creator(creator).where(Goal.id == goal_id).with_for_update())
