"""`/projects/{project_id}/goal-compliance` and `/analytics/aggregate/goal-compliance`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import Reader
from serving_api.errors import InvalidParams, InvalidQuery, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.openapi import answers
from serving_api.resources.programs.goal_compliance import schemas, service

router = keyed_router("goals")


@router.get(
    "/projects/{project_id}/goal-compliance",
    responses=answers(InvalidParams, InvalidQuery, NotFound),
)
def get_goal_compliance(
    *, context: Reader, project_id: UUID, query: Annotated[schemas.ComplianceQuery, Query()]
) -> schemas.ComplianceAnswer:
    """Return the goal status of a project's creators. The newest creators come first."""
    return service.list_compliance(context, project_id, query)


@router.get("/analytics/aggregate/goal-compliance", responses=answers(InvalidQuery, NotFound))
def count_goal_compliance(
    *, context: Reader, query: Annotated[schemas.CountsQuery, Query()]
) -> schemas.CountsAnswer:
    """Count the goals of a project's creators by status, metric and period."""
    return service.count_compliance(context, query)
