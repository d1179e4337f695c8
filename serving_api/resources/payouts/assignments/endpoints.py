"""`/payout-structures/{structure_id}/assignments`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import AdminWriter, Reader
from serving_api.errors import (
    AlreadyAssigned,
    BudgetExceeded,
    Conflict,
    CreatorInactive,
    InvalidCursor,
    NotFound,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope, Page
from serving_api.openapi import answers
from serving_api.resources.payouts.assignments import schemas, service

router = keyed_router("payout assignments")

ASSIGNMENTS = "/payout-structures/{structure_id}/assignments"


@router.get(ASSIGNMENTS, responses=answers(InvalidCursor, NotFound))
def list_payout_assignments(
    *,
    context: Reader,
    structure_id: UUID,
    query: Annotated[schemas.AssignmentQuery, Query()],
) -> Page[schemas.Assignment]:
    """List a structure's assignments, newest first; ended ones too."""
    return service.list_assignments(context, structure_id, query)


@router.post(
    ASSIGNMENTS,
    status_code=201,
    responses=answers(AlreadyAssigned, BudgetExceeded, Conflict, CreatorInactive, NotFound),
)
@idempotent()
def assign_creators(
    *, context: AdminWriter, structure_id: UUID, body: schemas.NewAssignments
) -> Envelope[list[schemas.Assignment]]:
    """Let a structure pay up to 200 creators of its project, all of them or none."""
    return Envelope(data=service.assign(context, structure_id, body))


@router.delete(ASSIGNMENTS, responses=answers(NotFound))
def end_assignments(
    *, context: AdminWriter, structure_id: UUID, body: schemas.Endings
) -> Envelope[schemas.Ended]:
    """End the assignments of up to 200 creators; the last day is still paid for.

    An assignment that begins later than today is cancelled where no `end_date` is sent.
    """
    return Envelope(data=service.end(context, structure_id, body))
