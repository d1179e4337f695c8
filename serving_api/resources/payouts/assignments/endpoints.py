"""`/payout-structures/{structure_id}/assignments`."""

from uuid import UUID

from pydantic import JsonValue

from serving_api.auth.dependencies import AdminWriter, Reader
from serving_api.errors import AlreadyAssigned, BudgetExceeded, Conflict, CreatorInactive
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope, Page
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.payouts.assignments import schemas, service
from serving_api.resources.payouts.assignments.overlaps import also_paid_by

router = keyed_router("payout assignments")

ASSIGNMENTS = "/payout-structures/{structure_id}/assignments"


@router.get(ASSIGNMENTS)
def list_payout_assignments(
    *, context: Reader, structure_id: UUID, query: Params[schemas.AssignmentQuery]
) -> Page[schemas.Assignment]:
    """List a structure's assignments, including ended ones. The newest comes first."""
    return service.list_assignments(context, structure_id, query)


@router.post(
    ASSIGNMENTS,
    status_code=201,
    responses=answers(AlreadyAssigned, BudgetExceeded, Conflict, CreatorInactive),
)
@idempotent()
def assign_creators(
    *, context: AdminWriter, structure_id: UUID, body: schemas.NewAssignments
) -> Envelope[list[schemas.Assignment]]:
    """Assign up to 200 creators of the project to a structure. Either all are assigned or none.

    An amount is `open` from the first build with something to pay, and `final` after its period
    and `payout_settling_days`. `meta.also_paid_by` lists other structures that pay these creators
    for views on common days.
    """
    rows = service.assign(context, structure_id, body)
    also = also_paid_by(context, structure_id, body.creator_ids, rows[0].start_date, body.end_date)
    meta: dict[str, JsonValue] = {"also_paid_by": [each.model_dump(mode="json") for each in also]}
    return Envelope(data=rows, meta=meta)


@router.delete(ASSIGNMENTS)
def end_assignments(
    *, context: AdminWriter, structure_id: UUID, body: schemas.Endings
) -> Envelope[schemas.Ended]:
    """End the assignments of up to 200 creators.

    The last day is still paid. Without `end_date` it is today, and assignments that begin later
    are cancelled.
    """
    return Envelope(data=service.end(context, structure_id, body))
