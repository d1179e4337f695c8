"""Deactivate and reactivate a creator with its accounts (decisions.md).

Accounts deactivated separately before stay so, also when the creator is reactivated. Locks are
always taken in this order: organization, creator, accounts, videos.
"""

from uuid import UUID

from serving_api.errors import AlreadyDeactivated, NotDeactivated, NotFound
from serving_api.kit.request_context import WriteContext
from serving_api.kit.rows import lock_own
from serving_api.resources.organization import organizations
from serving_api.resources.payouts.assignments import pauses
from serving_api.resources.tracking.accounts import repository as accounts
from serving_api.resources.tracking.creators import presenter
from serving_api.resources.tracking.creators.schemas import Creator as CreatorAnswer
from serving_api.resources.tracking.deactivations import schemas, steps
from warehouse.operational import models
from warehouse.operational.base import business_now
from warehouse.operational.models import Creator


def deactivate(
    context: WriteContext, creator_id: UUID, body: schemas.Deactivate
) -> schemas.DeactivatedCreator:
    """Stop scraping all accounts of a creator until it is reactivated.

    Raises NotFound, AlreadyDeactivated, and PayoutsRequired if structures are assigned and no
    choice about payouts is sent.
    """
    creator = _lock(context, creator_id)
    if creator.deactivated_at is not None:
        raise AlreadyDeactivated
    choice = steps.choose_payouts(context, creator, body)
    active = accounts.active_of_creator(context.session, context.organization_id, creator.id)
    counts = steps.put_to_rest(context, active, body, via_creator=True)
    creator.deactivated_at = business_now(context.session)
    creator.deactivated_by = context.caller.user_id
    creator.deactivation_video_choice = body.videos
    creator.deactivation_reason = body.reason
    if choice == "pause":
        pauses.pause(context.session, creator, context.caller.user_id)
    result = schemas.CreatorDeactivated(
        creator_id=creator.id,
        accounts_deactivated=len(active),
        videos_frozen=counts.frozen,
        videos_stopped=counts.stopped,
        payouts=choice,
    )
    return schemas.DeactivatedCreator(creator=_presented(context, creator), result=result)


def reactivate(
    context: WriteContext, creator_id: UUID, body: schemas.Reactivate
) -> schemas.ReactivatedCreator:
    """Reactivate a creator with the accounts that were deactivated with it.

    Its paused payouts resume. Raises NotFound, NotDeactivated, ExistingVideosRequired and
    LimitReached.
    """
    creator = _lock(context, creator_id)
    if creator.deactivated_at is None:
        raise NotDeactivated
    returning = accounts.deactivated_with_creator(
        context.session, context.organization_id, creator.id
    )
    woken = steps.wake(context, returning, body)
    creator.deactivated_at = creator.deactivated_by = None
    creator.deactivation_video_choice = creator.deactivation_reason = None
    pauses.restart(context.session, creator, context.caller.user_id)
    result = schemas.CreatorReactivated(
        creator_id=creator.id,
        accounts_reactivated=len(returning),
        videos_resumed=woken.resumed,
        videos_stopped=woken.stopped,
        missed_posts_updated=woken.missed_updated,
    )
    return schemas.ReactivatedCreator(creator=_presented(context, creator), result=result)


def _lock(context: WriteContext, creator_id: UUID) -> Creator:
    """Lock and return the creator. Raises NotFound, also for a removed one."""
    organizations.lock(context.session, context.organization_id)
    creator = lock_own(context, models.Creator, creator_id, "Creator")
    if not creator.is_active:
        raise NotFound.named("Creator")
    return creator


def _presented(context: WriteContext, creator: Creator) -> CreatorAnswer:
    context.session.flush()
    return presenter.present(context, [creator])[0]
