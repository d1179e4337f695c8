"""Deactivate and reactivate one account (contract, Accounts).

Locks are always taken in this order: organization, creator, accounts, videos.
"""

from uuid import UUID

from serving_api.errors import AlreadyDeactivated, Conflict, NotDeactivated
from serving_api.kit.request_context import WriteContext
from serving_api.kit.rows import lock_own, require_own, require_row
from serving_api.resources.organization import organizations
from serving_api.resources.payouts.assignments import pauses
from serving_api.resources.tracking.accounts import presenter
from serving_api.resources.tracking.accounts import repository as accounts
from serving_api.resources.tracking.accounts.schemas import Account as AccountAnswer
from serving_api.resources.tracking.deactivations import schemas, steps
from warehouse.operational import models
from warehouse.operational.models import Account, Creator


def deactivate(
    context: WriteContext, account_id: UUID, body: schemas.Deactivate
) -> schemas.DeactivatedAccount:
    """Stop scraping an account until it is reactivated.

    Raises NotFound, AlreadyDeactivated, and PayoutsRequired for the creator's last active account
    without a choice about payouts.
    """
    account, creator = _lock(context, account_id)
    if account.deactivated_at is not None or creator.deactivated_at is not None:
        raise AlreadyDeactivated
    is_last = accounts.active_of_creator(context.session, context.organization_id, creator.id) == [
        account
    ]
    choice = steps.choose_payouts(context, creator, body) if is_last else None
    counts = steps.put_to_rest(context, [account], body, via_creator=False)
    if choice == "pause":
        pauses.pause(context.session, creator, context.caller.user_id)
    result = schemas.AccountDeactivated(
        account_id=account.id,
        creator_id=creator.id,
        videos_frozen=counts.frozen,
        videos_stopped=counts.stopped,
        payouts=choice,
    )
    return schemas.DeactivatedAccount(account=_presented(context, account), result=result)


def reactivate(
    context: WriteContext, account_id: UUID, body: schemas.Reactivate
) -> schemas.ReactivatedAccount:
    """Reactivate an account; its creator's paused payouts resume.

    Raises NotFound, NotDeactivated, ExistingVideosRequired, LimitReached, and Conflict if the
    creator is deactivated: then the creator must be reactivated.
    """
    account, creator = _lock(context, account_id)
    if account.deactivated_at is None:
        raise NotDeactivated
    if creator.deactivated_at is not None:
        raise Conflict(
            "The creator is deactivated. Reactivate the creator instead.",
            reason="creator_deactivated",
        )
    woken = steps.wake(context, [account], body)
    pauses.restart(context.session, creator, context.caller.user_id)
    result = schemas.AccountReactivated(
        account_id=account.id,
        creator_id=creator.id,
        videos_resumed=woken.resumed,
        videos_stopped=woken.stopped,
        missed_posts_updated=woken.missed_updated,
    )
    return schemas.ReactivatedAccount(account=_presented(context, account), result=result)


def _lock(context: WriteContext, account_id: UUID) -> tuple[Account, Creator]:
    """Lock and return the account and its creator. Raises NotFound."""
    organizations.lock(context.session, context.organization_id)
    unlocked = require_own(context, Account, account_id, "Account")
    creator = lock_own(context, models.Creator, unlocked.creator_id, "Creator")
    account = accounts.lock(context.session, context.organization_id, account_id)
    return require_row(account, "Account"), creator


def _presented(context: WriteContext, account: Account) -> AccountAnswer:
    context.session.flush()
    return presenter.present(context, [account])[0]
