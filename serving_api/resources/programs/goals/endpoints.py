"""`/creators/{creator_id}/goals`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import (
    CreatorInactive,
    InvalidBody,
    InvalidCursor,
    InvalidParams,
    NotFound,
    VersionConflict,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import PageQuery
from serving_api.openapi import answers
from serving_api.resources.programs.goals import schemas, service

router = keyed_router("goals")

GOALS = "/creators/{creator_id}/goals"
GOAL = GOALS + "/{goal_id}"


@router.get(GOALS, responses=answers(InvalidCursor, InvalidParams, NotFound))
def list_goals(
    *, context: Reader, creator_id: UUID, query: Annotated[PageQuery, Query()]
) -> Page[schemas.VersionedGoal]:
    """List a creator's goals, including inactive ones. The newest comes first."""
    return service.list_goals(context, creator_id, query)


@router.post(
    GOALS, status_code=201, responses=answers(CreatorInactive, InvalidBody, InvalidParams, NotFound)
)
@idempotent()
def create_goal(
    *, context: Writer, creator_id: UUID, body: schemas.NewGoal
) -> Envelope[schemas.VersionedGoal]:
    """Create a goal: a target of a creator for each day, week or month."""
    return Envelope(data=service.create(context, creator_id, body))


@router.patch(GOAL, responses=answers(InvalidBody, InvalidParams, NotFound, VersionConflict))
def change_goal(
    *, context: Writer, creator_id: UUID, goal_id: UUID, changes: schemas.GoalChanges
) -> Envelope[schemas.VersionedGoal]:
    """Change a goal. Periods that have ended keep their result."""
    return Envelope(data=service.change(context, creator_id, goal_id, changes))


@router.delete(GOAL, responses=answers(InvalidParams, NotFound))
def delete_goal(*, context: Writer, creator_id: UUID, goal_id: UUID) -> Envelope[Deleted]:
    """Delete a goal permanently. Periods that have ended keep their result."""
    service.delete(context, creator_id, goal_id)
    return Envelope(data=Deleted())
