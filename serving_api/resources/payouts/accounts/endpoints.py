"""`/creators/{creator_id}/payout-account`."""

from uuid import UUID

from serving_api.auth.dependencies import AdminReader, AdminWriter
from serving_api.errors import Conflict, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Deleted, Envelope
from serving_api.openapi import answers
from serving_api.resources.payouts.accounts import schemas, service

router = keyed_router("payout accounts")


@router.get("/creators/{creator_id}/payout-account", responses=answers(NotFound))
def get_payout_account(
    *, errand: AdminReader, creator_id: UUID
) -> Envelope[schemas.PayoutAccount | None]:
    """Return where a creator's money goes; null where nothing is set."""
    return Envelope(data=service.read(errand, creator_id))


@router.put("/creators/{creator_id}/payout-account", responses=answers(Conflict, NotFound))
def set_payout_account(
    *,
    errand: AdminWriter,
    creator_id: UUID,
    body: schemas.PayoutAccountSettings,
) -> Envelope[schemas.PayoutAccount]:
    """Say where a creator's money goes, in place of what was said before."""
    return Envelope(data=service.set_account(errand, creator_id, body))


@router.delete("/creators/{creator_id}/payout-account", responses=answers(NotFound))
def delete_payout_account(*, errand: AdminWriter, creator_id: UUID) -> Envelope[Deleted]:
    """Forget where a creator's money goes; `deleted` is false where nothing was set."""
    return Envelope(data=service.forget(errand, creator_id))
