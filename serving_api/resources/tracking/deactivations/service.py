"""Deactivate and reactivate accounts, and creators with their accounts (decisions.md).

Accounts deactivated separately before stay so, also when the creator is reactivated. Locks are
always taken in this order: organization, creator, accounts, videos.
"""

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
from serving_api.kit.request_context import WriteContext
from serving_api.kit.rows import lock_own, require_own
from serving_api.openapi import answers
from serving_api.resources.organization import organizations
from serving_api.resources.payouts.assignments import repository
from serving_api.resources.tracking.accounts import repository as accounts
from serving_api.resources.tracking.accounts.presenter import present as present_accounts
from serving_api.resources.tracking.accounts.schemas import Account as AccountAnswer
from serving_api.resources.tracking.creators.repository import present as present_creators
from serving_api.resources.tracking.creators.schemas import Creator as CreatorAnswer
from serving_api.resources.tracking.deactivations import schemas, steps
from warehouse.operational import models


def wake_account(
    context: WriteContext, account_id: UUID, body: schemas.Reactivate
) -> schemas.ReactivatedAccount:
    """Reactivate an account; its creator's paused payouts resume.

    Raises NotFound, NotDeactivated, ExistingVideosRequired, LimitReached, and Conflict if the
    creator is deactivated: then the creator must be reactivated.
    """
    account, creator = _lock_account(context, account_id)
    if account.deactivated_at is None:
        raise NotDeactivated
    if creator.deactivated_at is not None:
        raise Conflict(
            "The creator is deactivated. Reactivate the creator instead.",
            reason="creator_deactivated",
        )
    woken = steps.wake(context, [account], body)
    repository.restart(context.session, creator, context.caller.user_id)
    result = schemas.AccountReactivated(
        account_id=account.id,
        creator_id=creator.id,
        videos_resumed=woken.resumed,
        videos_stopped=woken.stopped,
        missed_posts_updated=woken.missed_updated,
    )
    return schemas.ReactivatedAccount(account=_present_account(context, account), result=result)


def _lock_account(context: WriteContext, account_id: UUID) -> tuple[models.Account, models.Creator]:
    """Lock and return the account and its creator. Raises NotFound."""
    organizations.lock(context.session, context.organization_id)
    unlocked = require_own(context, models.Account, account_id, "Account")
    creator = lock_own(context, models.Creator, unlocked.creator_id, "Creator")
    account = lock_own(context, models.Account, account_id, "Account", models.Account.is_active)
    return account, creator


def _present_account(context: WriteContext, account: models.Account) -> AccountAnswer:
    context.session.flush()
    return present_accounts(context, [account])[0]


def wake_creator(
    context: WriteContext, creator_id: UUID, body: schemas.Reactivate
) -> schemas.ReactivatedCreator:
    """Reactivate a creator with the accounts that were deactivated with it.

    Its paused payouts resume. Raises NotFound, NotDeactivated, ExistingVideosRequired and
    LimitReached.
    """
    creator = _lock_creator(context, creator_id)
    if creator.deactivated_at is None:
        raise NotDeactivated
    returning = accounts.deactivated_with_creator(context, creator.id)
    woken = steps.wake(context, returning, body)
    creator.deactivated_at = creator.deactivated_by = None
    creator.deactivation_video_choice = creator.deactivation_reason = None
    repository.restart(context.session, creator, context.caller.user_id)
    result = schemas.CreatorReactivated(
        creator_id=creator.id,
        accounts_reactivated=len(returning),
        videos_resumed=woken.resumed,
        videos_stopped=woken.stopped,
        missed_posts_updated=woken.missed_updated,
    )
    return schemas.ReactivatedCreator(creator=_present_creator(context, creator), result=result)


def _lock_creator(context: WriteContext, creator_id: UUID) -> models.Creator:
    """Lock and return the creator. Raises NotFound, also for a removed one."""
    organizations.lock(context.session, context.organization_id)
    creator = lock_own(context, models.Creator, creator_id, "Creator")
    if not creator.is_active:
        raise NotFound.named("Creator")
    return creator


def _present_creator(context: WriteContext, creator: models.Creator) -> CreatorAnswer:
    context.session.flush()
    return present_creators(context, [creator])[0]


router = keyed_router("deactivations")

DEACTIVATION_ERRORS = (AlreadyDeactivated, PayoutsRequired)
REACTIVATION_ERRORS = (ExistingVideosRequired, LimitReached, NotDeactivated)


@router.post("/accounts/{account_id}/deactivate", responses=answers(*DEACTIVATION_ERRORS))
@idempotent()
def deactivate_account(
    *, context: AdminWriter, account_id: UUID, body: schemas.Deactivate
) -> Envelope[schemas.DeactivatedAccount]:
    """Stop scraping an account until it is reactivated.

    It no longer counts towards the plan's limit.
    """
    account, creator = _lock_account(context, account_id)
    if account.deactivated_at is not None or creator.deactivated_at is not None:
        raise AlreadyDeactivated
    is_last = accounts.active_of_creator(context, creator.id) == [account]
    choice = steps.choose_payouts(context, creator, body) if is_last else None
    counts = steps.put_to_rest(context, [account], body, via_creator=False)
    if choice == "pause":
        repository.pause(context.session, creator, context.caller.user_id)
    result = schemas.AccountDeactivated(
        account_id=account.id,
        creator_id=creator.id,
        videos_frozen=counts.frozen,
        videos_stopped=counts.stopped,
        payouts=choice,
    )
    return Envelope(
        data=schemas.DeactivatedAccount(account=_present_account(context, account), result=result)
    )


@router.post("/accounts/{account_id}/reactivate", responses=answers(Conflict, *REACTIVATION_ERRORS))
@idempotent()
def reactivate_account(
    *, context: AdminWriter, account_id: UUID, body: schemas.Reactivate
) -> Envelope[schemas.ReactivatedAccount]:
    """Reactivate an account. The next discovery searches for all posts missed meanwhile.

    If its creator is deactivated, only the creator can be reactivated: the error is `conflict`
    with `meta.reason` `creator_deactivated`.
    """
    return Envelope(data=wake_account(context, account_id, body))


@router.post("/creators/{creator_id}/deactivate", responses=answers(*DEACTIVATION_ERRORS))
@idempotent()
def deactivate_creator(
    *, context: AdminWriter, creator_id: UUID, body: schemas.Deactivate
) -> Envelope[schemas.DeactivatedCreator]:
    """Stop scraping all accounts of a creator until it is reactivated."""
    creator = _lock_creator(context, creator_id)
    if creator.deactivated_at is not None:
        raise AlreadyDeactivated
    choice = steps.choose_payouts(context, creator, body)
    active = accounts.active_of_creator(context, creator.id)
    counts = steps.put_to_rest(context, active, body, via_creator=True)
    creator.deactivated_at = context.now
    creator.deactivated_by = context.caller.user_id
    creator.deactivation_video_choice = body.videos
    creator.deactivation_reason = body.reason
    if choice == "pause":
        repository.pause(context.session, creator, context.caller.user_id)
    result = schemas.CreatorDeactivated(
        creator_id=creator.id,
        accounts_deactivated=len(active),
        videos_frozen=counts.frozen,
        videos_stopped=counts.stopped,
        payouts=choice,
    )
    return Envelope(
        data=schemas.DeactivatedCreator(creator=_present_creator(context, creator), result=result)
    )


@router.post("/creators/{creator_id}/reactivate", responses=answers(*REACTIVATION_ERRORS))
@idempotent()
def reactivate_creator(
    *, context: AdminWriter, creator_id: UUID, body: schemas.Reactivate
) -> Envelope[schemas.ReactivatedCreator]:
    """Reactivate a creator with the accounts that were deactivated with it."""
    return Envelope(data=wake_creator(context, creator_id, body))
