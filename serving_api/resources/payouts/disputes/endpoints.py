"""`/payout-disputes`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import AdminWriter, Reader, Writer
from serving_api.errors import Conflict, DisputeOpen, InvalidBody, InvalidCursor, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope, Page
from serving_api.openapi import answers
from serving_api.resources.payouts.disputes import schemas, service

router = keyed_router("payouts")

DISPUTE = "/payout-disputes/{dispute_id}"


@router.get("/payout-disputes", responses=answers(InvalidCursor))
def list_payout_disputes(
    *, context: Reader, query: Annotated[schemas.DisputeQuery, Query()]
) -> Page[schemas.Dispute]:
    """List disputed amounts. The newest comes first."""
    return service.list_page(context, query)


@router.post(
    "/payout-disputes", status_code=201, responses=answers(DisputeOpen, InvalidBody, NotFound)
)
@idempotent()
def create_payout_dispute(
    *, context: Writer, body: schemas.NewDispute
) -> Envelope[schemas.Dispute]:
    """Dispute an amount. Creators do this themselves on their share page."""
    return Envelope(data=service.open_dispute(context, body))


@router.get(DISPUTE, responses=answers(NotFound))
def get_payout_dispute(*, context: Reader, dispute_id: UUID) -> Envelope[schemas.Dispute]:
    """Return one dispute."""
    return Envelope(data=service.read_dispute(context, dispute_id))


@router.patch(DISPUTE, responses=answers(Conflict, InvalidBody, NotFound))
def decide_payout_dispute(
    *, context: AdminWriter, dispute_id: UUID, body: schemas.DisputeDecision
) -> Envelope[schemas.Dispute]:
    """Answer a dispute, and mark it as corrected or rejected."""
    return Envelope(data=service.decide(context, dispute_id, body))
