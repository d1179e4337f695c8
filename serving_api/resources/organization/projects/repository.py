"""SQL of projects. Every statement names the organization."""

from uuid import UUID

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from serving_api.errors import NotFound
from serving_api.kit.pagination import Keyset
from warehouse.operational.models import Project
from warehouse.operational.session import WriteSession

NEWEST_FIRST = Keyset(Project.created_at, Project.id, "projects")


def of_organization(organization_id: UUID) -> Select[Project]:
    """Select every project of an organization, archived ones too."""
    return select(Project).where(Project.organization_id == organization_id)


def require(session: Session, organization_id: UUID, project_id: UUID) -> Project:
    """Return the project. Raises NotFound if absent or another organization's."""
    found = session.scalar(of_organization(organization_id).where(Project.id == project_id))
    if found is None:
        raise NotFound.named("Project")
    return found


def lock(session: WriteSession, organization_id: UUID, project_id: UUID) -> Project:
    """Return the project for writing. Raises NotFound if absent or another organization's."""
    found = session.scalar(
        of_organization(organization_id)
        .where(Project.id == project_id)
        .with_for_update(key_share=True)
    )
    if found is None:
        raise NotFound.named("Project")
    return found


def count_open(session: Session, organization_id: UUID) -> int:
    """Return how many projects the plan counts: archived ones free their slot."""
    counted = (
        select(func.count())
        .select_from(Project)
        .where(Project.organization_id == organization_id, Project.is_archived.is_(False))
    )
    return session.scalars(counted).one()
