"""Projects: they contain creators and campaigns."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from serving_api.auth.dependencies import Admin, Reader
from serving_api.errors import LimitReached, NotesConflict, NotesTooLong
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope, Page
from serving_api.kit.pagination import Keyset, PageQuery, read_slice
from serving_api.kit.readme import readme_version, replace_readme
from serving_api.kit.request_context import WriteContext
from serving_api.kit.rows import count_rows, from_row, lock_own, require_row, rows_of
from serving_api.kit.schemas import Body, Flag, Name, Params, Readme, ReadmeChanges, unsent
from serving_api.openapi import answers
from serving_api.resources.organization import organizations
from warehouse.operational import models
from warehouse.operational.session import ReadSession


class NewProject(Body):
    """A new project."""

    name: Name
    readme: Readme | None = None


class ProjectChanges(ReadmeChanges):
    """Changes to a project."""

    name: Name = unsent()
    is_archived: Flag = unsent()
    readme: Readme | None = unsent()
    expected_readme_version: str | None = Field(default=None, description="Requires `readme`")


class Project(BaseModel):
    """A project."""

    id: UUID
    name: str
    readme: str | None
    org_id: UUID
    is_archived: bool
    created_at: datetime
    updated_at: datetime


class ProjectDetail(Project):
    """A project with the version of its notes."""

    readme_version: str


NEWEST_FIRST = Keyset(models.Project.created_at, models.Project.id, "projects")
READ = "projects"
"""Key under which a read session keeps the projects that it has read."""


def require(session: Session, organization_id: UUID, project_id: UUID) -> models.Project:
    """Return the project. Raises NotFound if absent or another organization's.

    A read session sees one snapshot and reads a project once: a page needs it ten times.
    """
    read: dict[tuple[UUID, UUID], models.Project] = {}
    if isinstance(session, ReadSession):
        read = session.info.setdefault(READ, read)
    key = (organization_id, project_id)
    if key not in read:
        row = session.scalar(rows_of(models.Project, organization_id, project_id))
        read[key] = require_row(row, "Project")
    return read[key]


def lock(context: WriteContext, project_id: UUID) -> models.Project:
    """Return the project locked for update. Raises NotFound if absent or another organization's."""
    return lock_own(context, models.Project, project_id, "Project")


def create(context: WriteContext, organization_id: UUID, body: NewProject) -> Project:
    """Create a project. Raises NotFound for another organization, LimitReached, NotesTooLong."""
    context.caller.require_organization(organization_id)
    _make_room(context)
    project = models.Project(organization_id=organization_id, name=body.name)
    replace_readme(context.session, project, body.readme)
    context.session.add(project)
    context.session.flush()
    return _project(project)


def change(
    context: WriteContext, organization_id: UUID, project_id: UUID, changes: ProjectChanges
) -> ProjectDetail:
    """Change a project; restoring an archived one requires a free slot in the plan.

    Raises NotFound, LimitReached, NotesConflict and NotesTooLong.
    """
    context.caller.require_organization(organization_id)
    if changes.sends("is_archived") and not changes.is_archived:
        organizations.lock(context.session, organization_id)
    project = lock(context, project_id)
    if changes.sends("is_archived"):
        _archive(context, project, is_archived=changes.is_archived)
    if changes.sends("name"):
        project.name = changes.name
    if changes.sends("readme"):
        replace_readme(context.session, project, changes.readme, changes.expected_readme_version)
    context.session.flush()
    return _detail(project)


def _archive(context: WriteContext, project: models.Project, *, is_archived: bool) -> None:
    if project.is_archived and not is_archived:
        _make_room(context)
    project.is_archived = is_archived


def _make_room(context: WriteContext) -> None:
    organizations.lock(context.session, context.organization_id)
    own = rows_of(models.Project, context.organization_id)
    current = count_rows(context.session, own.where(models.Project.is_archived.is_(False)))
    maximum = context.caller.plan.max_projects_per_org
    if current >= maximum:
        raise LimitReached("max_projects_per_org", current=current, maximum=maximum)


def _project(row: models.Project) -> Project:
    return from_row(Project, row)


def _detail(row: models.Project) -> ProjectDetail:
    return ProjectDetail(**dict(_project(row)), readme_version=readme_version(row.readme))


router = keyed_router("projects")


@router.get("/projects")
def list_projects(*, context: Reader, query: Params[PageQuery]) -> Page[Project]:
    """List projects, including archived ones. The newest comes first."""
    statement = rows_of(models.Project, context.organization_id)
    keyset = NEWEST_FIRST.of(context.organization_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(lambda rows: [_project(row) for row in rows])


@router.get("/projects/{project_id}")
def get_project(*, context: Reader, project_id: UUID) -> Envelope[ProjectDetail]:
    """Return one project."""
    return Envelope(data=_detail(require(context.session, context.organization_id, project_id)))


@router.post(
    "/organizations/{organization_id}/projects",
    status_code=201,
    responses=answers(LimitReached, NotesTooLong),
)
@idempotent()
def create_project(*, context: Admin, organization_id: UUID, body: NewProject) -> Envelope[Project]:
    """Create a project."""
    return Envelope(data=create(context, organization_id, body))


@router.patch(
    "/organizations/{organization_id}/projects/{project_id}",
    responses=answers(LimitReached, NotesConflict, NotesTooLong),
)
def change_project(
    *, context: Admin, organization_id: UUID, project_id: UUID, changes: ProjectChanges
) -> Envelope[ProjectDetail]:
    """Change, archive or restore a project."""
    project = change(context, organization_id, project_id, changes)
    return Envelope(data=project)
