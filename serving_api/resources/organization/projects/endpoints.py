"""`/projects` and `/organizations/{organization_id}/projects`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import Admin, Reader
from serving_api.errors import (
    InvalidCursor,
    LimitReached,
    NotesConflict,
    NotesTooLong,
    NotFound,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope, Page
from serving_api.kit.pagination import PageQuery
from serving_api.openapi import answers
from serving_api.resources.organization.projects import schemas, service

router = keyed_router("projects")


@router.get("/projects", responses=answers(InvalidCursor))
def list_projects(*, errand: Reader, query: Annotated[PageQuery, Query()]) -> Page[schemas.Project]:
    """List projects, newest first, archived ones too."""
    return service.list_projects(errand, query)


@router.get("/projects/{project_id}", responses=answers(NotFound))
def get_project(*, errand: Reader, project_id: UUID) -> Envelope[schemas.ProjectDetail]:
    """Return one project."""
    return Envelope(data=service.read_project(errand, project_id))


@router.post(
    "/organizations/{organization_id}/projects",
    status_code=201,
    responses=answers(LimitReached, NotesTooLong, NotFound),
)
@idempotent()
def create_project(
    *, errand: Admin, organization_id: UUID, body: schemas.NewProject
) -> Envelope[schemas.Project]:
    """Create a project."""
    return Envelope(data=service.create(errand, organization_id, body))


@router.patch(
    "/organizations/{organization_id}/projects/{project_id}",
    responses=answers(
        LimitReached,
        NotesConflict,
        NotesTooLong,
        NotFound,
    ),
)
def change_project(
    *,
    errand: Admin,
    organization_id: UUID,
    project_id: UUID,
    changes: schemas.ProjectChanges,
) -> Envelope[schemas.ProjectDetail]:
    """Change, archive or restore a project."""
    project = service.change(errand, organization_id, project_id, changes)
    return Envelope(data=project)
