"""`/projects/{project_id}/program-health`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import Reader
from serving_api.errors import NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.openapi import answers
from serving_api.resources.programs.program_health import schemas, service

router = keyed_router("projects")


@router.get("/projects/{project_id}/program-health", responses=answers(NotFound))
def get_program_health(
    *, context: Reader, project_id: UUID, query: Annotated[schemas.HealthQuery, Query()]
) -> schemas.ProgramHealthAnswer:
    """Return the health of a project or campaign: status, figures and alerts.

    The window ends today and is compared with as many days before. `comment_flags` is null on
    plans without comments.
    """
    return service.read_health(context, project_id, query)
