"""Payout accounts: where a creator is paid."""

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from serving_api.auth.dependencies import AdminReader, AdminWriter
from serving_api.errors import Conflict
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Deleted, Envelope
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import from_row, lock_own, require_own, rows_of
from serving_api.kit.schemas import Body, Metadata
from serving_api.openapi import answers
from serving_api.resources.payouts.methods import service as payout_methods
from warehouse.encryption import PAYOUT_DETAILS, Encryption
from warehouse.operational import models

DETAILS = {"iban": "DE00 0000 0000 0000 0000 00", "account_holder": "Demo Creator"}


class PayoutAccountSettings(Body):
    """A payout method and its details for one creator. Replaces earlier settings."""

    payout_method_id: UUID = Field(description="An active payout method of the organization")
    details: Metadata = Field(
        description="Details that the payout method needs, such as an IBAN. Stored encrypted",
        examples=[DETAILS],
    )


class PayoutAccount(BaseModel):
    """Where a creator is paid."""

    creator_id: UUID
    payout_method_id: UUID
    details: Metadata | None = Field(
        description="Null if the server's secret key has changed since: enter them again.",
        examples=[DETAILS],
    )
    created_at: datetime
    updated_at: datetime


def find(session: Session, organization_id: UUID, creator_id: UUID) -> models.PayoutAccount | None:
    return session.scalar(
        rows_of(models.PayoutAccount, organization_id).where(
            models.PayoutAccount.creator_id == creator_id
        )
    )


def of_creators(
    context: RequestContext, creator_ids: Collection[UUID]
) -> Mapping[UUID, models.PayoutAccount]:
    """Return payout accounts by creator id; creators without one are left out."""
    account = models.PayoutAccount
    statement = rows_of(account, context.organization_id).where(account.creator_id.in_(creator_ids))
    return {row.creator_id: row for row in context.session.scalars(statement)}


def read(context: RequestContext, creator_id: UUID) -> PayoutAccount | None:
    """Return the creator's payout account, or None if none is set. Raises NotFound."""
    require_own(context, models.Creator, creator_id, "Creator")
    account = find(context.session, context.organization_id, creator_id)
    return None if account is None else present(account, context.services.encryption)


def set_account(
    context: WriteContext, creator_id: UUID, settings: PayoutAccountSettings
) -> PayoutAccount:
    """Set or replace the creator's payout account.

    Raises NotFound for the creator or the method, and Conflict for an inactive method.
    """
    lock_own(context, models.Creator, creator_id, "Creator")
    payout_methods.hold_active(context, settings.payout_method_id)
    account = find(context.session, context.organization_id, creator_id)
    if account is None:
        account = models.PayoutAccount(
            creator_id=creator_id, organization_id=context.organization_id
        )
    account.payout_method_id = settings.payout_method_id
    account.details_encrypted = context.services.encryption.encrypt(
        json.dumps(settings.details), PAYOUT_DETAILS
    )
    context.session.add(account)
    context.session.flush()
    return present(account, context.services.encryption)


def forget(context: WriteContext, creator_id: UUID) -> Deleted:
    """Delete the creator's payout account if there is one. Raises NotFound."""
    lock_own(context, models.Creator, creator_id, "Creator")
    account = find(context.session, context.organization_id, creator_id)
    if account is not None:
        context.session.delete(account)
    return Deleted(deleted=account is not None)


def present(account: models.PayoutAccount, encryption: Encryption) -> PayoutAccount:
    text = encryption.decrypt_or_none(account.details_encrypted, PAYOUT_DETAILS)
    return from_row(PayoutAccount, account, details=None if text is None else json.loads(text))


router = keyed_router("payout accounts")


@router.get("/creators/{creator_id}/payout-account")
def get_payout_account(*, context: AdminReader, creator_id: UUID) -> Envelope[PayoutAccount | None]:
    """Return a creator's payout account. The answer is null if none is set."""
    return Envelope(data=read(context, creator_id))


@router.put("/creators/{creator_id}/payout-account", responses=answers(Conflict))
def set_payout_account(
    *, context: AdminWriter, creator_id: UUID, body: PayoutAccountSettings
) -> Envelope[PayoutAccount]:
    """Set or replace a creator's payout account."""
    return Envelope(data=set_account(context, creator_id, body))


@router.delete("/creators/{creator_id}/payout-account")
def delete_payout_account(*, context: AdminWriter, creator_id: UUID) -> Envelope[Deleted]:
    """Delete a creator's payout account. `deleted` is false if none was set."""
    return Envelope(data=forget(context, creator_id))
