"""Where a creator's money goes: set, read and forgotten. The details are encrypted at rest.

A removed creator may still be owed something, and keeps its payout account.
"""

import json
from uuid import UUID

from serving_api.errors import Conflict, NotFound
from serving_api.kit.envelope import Deleted
from serving_api.kit.errand import Errand, WriteErrand
from serving_api.resources.payouts.accounts import repository, schemas
from serving_api.resources.payouts.methods import repository as payout_methods
from serving_api.resources.tracking.creators import repository as creators
from warehouse.encryption import Encryption
from warehouse.operational.models import PayoutAccount

PURPOSE = "payout_account.details"


def read(errand: Errand, creator_id: UUID) -> schemas.PayoutAccount | None:
    """Return the creator's payout account, None where none is set. Raises NotFound."""
    if creators.find(errand.session, errand.organization_id, creator_id) is None:
        raise NotFound.named("Creator")
    account = repository.find(errand.session, errand.organization_id, creator_id)
    return None if account is None else _shown(account, errand.services.encryption)


def set_account(
    errand: WriteErrand,
    creator_id: UUID,
    settings: schemas.PayoutAccountSettings,
) -> schemas.PayoutAccount:
    """Set the creator's payout account, in place of an earlier one.

    Raises NotFound for the creator or the method, and Conflict for a method out of use.
    """
    if creators.lock(errand.session, errand.organization_id, creator_id) is None:
        raise NotFound.named("Creator")
    _require_method(errand, settings.payout_method_id)
    account = repository.find(errand.session, errand.organization_id, creator_id)
    if account is None:
        account = PayoutAccount(creator_id=creator_id, organization_id=errand.organization_id)
    account.payout_method_id = settings.payout_method_id
    account.details_encrypted = errand.services.encryption.encrypt(
        json.dumps(settings.details), PURPOSE
    )
    errand.session.add(account)
    errand.session.flush()
    return _shown(account, errand.services.encryption)


def forget(errand: WriteErrand, creator_id: UUID) -> Deleted:
    """Delete the creator's payout account; tell whether there was one. Raises NotFound."""
    if creators.lock(errand.session, errand.organization_id, creator_id) is None:
        raise NotFound.named("Creator")
    account = repository.find(errand.session, errand.organization_id, creator_id)
    if account is not None:
        errand.session.delete(account)
    return Deleted(deleted=account is not None)


def _require_method(errand: WriteErrand, method_id: UUID) -> None:
    method = payout_methods.hold(errand.session, errand.organization_id, method_id)
    if method is None:
        raise NotFound.named("Payout method")
    if not method.is_active:
        raise Conflict("The payout method is out of use", reason="inactive_payout_method")


def _shown(account: PayoutAccount, encryption: Encryption) -> schemas.PayoutAccount:
    return schemas.PayoutAccount(
        creator_id=account.creator_id,
        payout_method_id=account.payout_method_id,
        details=json.loads(encryption.decrypt(account.details_encrypted, PURPOSE)),
        created_at=account.created_at,
        updated_at=account.updated_at,
    )
