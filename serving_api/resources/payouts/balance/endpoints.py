"""`/creators/{creator_id}/payout-balance`."""

from uuid import UUID

from serving_api.auth.dependencies import Reader
from serving_api.errors import NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.openapi import answers
from serving_api.resources.payouts.balance import schemas, service

router = keyed_router("payouts")


@router.get("/creators/{creator_id}/payout-balance", responses=answers(NotFound))
def get_payout_balance(*, errand: Reader, creator_id: UUID) -> Envelope[schemas.Balance]:
    """Return what a creator is owed by now, and what it was paid."""
    return Envelope(data=service.read_balance(errand, creator_id))
