"""`/accounts/{account_id}/deactivate`, `/creators/{creator_id}/deactivate`, and `reactivate`."""

from uuid import UUID

from serving_api.auth.dependencies import AdminWriter
from serving_api.errors import (
    AlreadyDeactivated,
    Conflict,
    ExistingVideosRequired,
    LimitReached,
    NotDeactivated,
    NotFound,
    PayoutsRequired,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope
from serving_api.openapi import answers
from serving_api.resources.tracking.deactivations import accounts, creators, schemas

router = keyed_router("deactivations")

DEACTIVATION_ERRORS = (AlreadyDeactivated, NotFound, PayoutsRequired)
REACTIVATION_ERRORS = (ExistingVideosRequired, LimitReached, NotDeactivated, NotFound)


@router.post("/accounts/{account_id}/deactivate", responses=answers(*DEACTIVATION_ERRORS))
@idempotent()
def deactivate_account(
    *, context: AdminWriter, account_id: UUID, body: schemas.Deactivate
) -> Envelope[schemas.DeactivatedAccount]:
    """Stop scraping an account until it is reactivated.

    It no longer counts towards the plan's limit.
    """
    return Envelope(data=accounts.deactivate(context, account_id, body))


@router.post("/accounts/{account_id}/reactivate", responses=answers(Conflict, *REACTIVATION_ERRORS))
@idempotent()
def reactivate_account(
    *, context: AdminWriter, account_id: UUID, body: schemas.Reactivate
) -> Envelope[schemas.ReactivatedAccount]:
    """Reactivate an account. The next discovery searches for all posts missed meanwhile.

    If its creator is deactivated, only the creator can be reactivated: the error is `conflict`
    with `meta.reason` `creator_deactivated`.
    """
    return Envelope(data=accounts.reactivate(context, account_id, body))


@router.post("/creators/{creator_id}/deactivate", responses=answers(*DEACTIVATION_ERRORS))
@idempotent()
def deactivate_creator(
    *, context: AdminWriter, creator_id: UUID, body: schemas.Deactivate
) -> Envelope[schemas.DeactivatedCreator]:
    """Stop scraping all accounts of a creator until it is reactivated."""
    return Envelope(data=creators.deactivate(context, creator_id, body))


@router.post("/creators/{creator_id}/reactivate", responses=answers(*REACTIVATION_ERRORS))
@idempotent()
def reactivate_creator(
    *, context: AdminWriter, creator_id: UUID, body: schemas.Reactivate
) -> Envelope[schemas.ReactivatedCreator]:
    """Reactivate a creator with the accounts that were deactivated with it."""
    return Envelope(data=creators.reactivate(context, creator_id, body))
