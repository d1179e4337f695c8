"""What may happen to a project, and the room that the plan leaves for them."""

from uuid import UUID

from serving_api.errors import LimitReached
from serving_api.kit.envelope import Page
from serving_api.kit.errand import Errand, WriteErrand
from serving_api.kit.pagination import PageQuery, read_slice
from serving_api.kit.readme import readme_version, replace_readme
from serving_api.resources.organization import organizations
from serving_api.resources.organization.projects import repository, schemas
from warehouse.operational import models


def list_projects(errand: Errand, query: PageQuery) -> Page[schemas.Project]:
    """Return a page of the organization's projects, newest first, archived ones too."""
    statement = repository.of_organization(errand.organization_id)
    keyset = repository.NEWEST_FIRST.of(errand.organization_id)
    found = read_slice(errand.session, statement, keyset, query)
    return found.page(lambda rows: [_project(row) for row in rows])


def read_project(errand: Errand, project_id: UUID) -> schemas.ProjectDetail:
    """Return one project. Raises NotFound."""
    return _detail(repository.require(errand.session, errand.organization_id, project_id))


def create(errand: WriteErrand, organization_id: UUID, body: schemas.NewProject) -> schemas.Project:
    """Make a project. Raises NotFound for another organization, LimitReached, NotesTooLong."""
    errand.caller.require_organization(organization_id)
    _make_room(errand)
    project = models.Project(organization_id=organization_id, name=body.name)
    replace_readme(errand.session, project, body.readme)
    errand.session.add(project)
    errand.session.flush()
    return _project(project)


def change(
    errand: WriteErrand,
    organization_id: UUID,
    project_id: UUID,
    changes: schemas.ProjectChanges,
) -> schemas.ProjectDetail:
    """Change a project; taking one out of the archive needs a free slot.

    Raises NotFound, LimitReached, NotesConflict and NotesTooLong.
    """
    errand.caller.require_organization(organization_id)
    if changes.sends("is_archived") and not changes.is_archived:
        organizations.lock(errand.session, organization_id)
    project = repository.lock(errand.session, organization_id, project_id)
    if changes.sends("is_archived"):
        _archive(errand, project, is_archived=changes.is_archived)
    if changes.sends("name"):
        project.name = changes.name
    if changes.sends("readme"):
        replace_readme(errand.session, project, changes.readme, changes.expected_readme_version)
    errand.session.flush()
    return _detail(project)


def _archive(errand: WriteErrand, project: models.Project, *, is_archived: bool) -> None:
    if project.is_archived and not is_archived:
        _make_room(errand)
    project.is_archived = is_archived


def _make_room(errand: WriteErrand) -> None:
    organizations.lock(errand.session, errand.organization_id)
    current = repository.count_open(errand.session, errand.organization_id)
    maximum = errand.caller.plan.max_projects_per_org
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
