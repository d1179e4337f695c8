"""What may happen to a project, and the room that the plan leaves for them."""

from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.auth.principals import Principal
from serving_api.errors import LimitReached
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import PageQuery, read_slice
from serving_api.kit.readme import readme_version, replace_readme
from serving_api.resources.organization.organizations import repository as organizations
from serving_api.resources.organization.projects import repository, schemas
from warehouse.operational import models
from warehouse.operational.session import WriteSession


def list_projects(caller: Principal, session: Session, query: PageQuery) -> Page[schemas.Project]:
    """Return a page of the organization's projects, newest first, archived ones too."""
    statement = repository.of_organization(caller.organization_id)
    keyset = repository.NEWEST_FIRST.of(caller.organization_id)
    found = read_slice(session, statement, keyset, query)
    return found.page(lambda rows: [_project(row) for row in rows])


def read_project(caller: Principal, session: Session, project_id: UUID) -> schemas.ProjectDetail:
    """Return one project. Raises NotFound."""
    return _detail(repository.require(session, caller.organization_id, project_id))


def create(
    caller: Principal, session: WriteSession, organization_id: UUID, body: schemas.NewProject
) -> schemas.Project:
    """Make a project. Raises NotFound for another organization, LimitReached, NotesTooLong."""
    caller.require_organization(organization_id)
    _make_room(caller, session)
    project = models.Project(organization_id=organization_id, name=body.name)
    replace_readme(session, project, body.readme)
    session.add(project)
    session.flush()
    return _project(project)


def change(
    caller: Principal,
    session: WriteSession,
    organization_id: UUID,
    project_id: UUID,
    changes: schemas.ProjectChanges,
) -> schemas.ProjectDetail:
    """Change a project; taking one out of the archive needs a free slot.

    Raises NotFound, LimitReached, NotesConflict and NotesTooLong.
    """
    caller.require_organization(organization_id)
    if changes.sends("is_archived") and not changes.is_archived:
        organizations.lock(session, organization_id)
    project = repository.lock(session, organization_id, project_id)
    if changes.sends("is_archived"):
        _archive(caller, session, project, is_archived=changes.is_archived)
    if changes.sends("name"):
        project.name = changes.name
    if changes.sends("readme"):
        replace_readme(session, project, changes.readme, changes.expected_readme_version)
    session.flush()
    return _detail(project)


def _archive(
    caller: Principal, session: WriteSession, project: models.Project, *, is_archived: bool
) -> None:
    if project.is_archived and not is_archived:
        _make_room(caller, session)
    project.is_archived = is_archived


def _make_room(caller: Principal, session: WriteSession) -> None:
    organizations.lock(session, caller.organization_id)
    current = repository.count_open(session, caller.organization_id)
    maximum = caller.plan.max_projects_per_org
    if current >= maximum:
        raise LimitReached("max_projects_per_org", current=current, maximum=maximum)


def _project(row: models.Project) -> schemas.Project:
    return schemas.Project(
        id=row.id,
        name=row.name,
        readme=row.readme,
        org_id=row.organization_id,
        is_archived=row.is_archived,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _detail(row: models.Project) -> schemas.ProjectDetail:
    return schemas.ProjectDetail(**dict(_project(row)), readme_version=readme_version(row.readme))
