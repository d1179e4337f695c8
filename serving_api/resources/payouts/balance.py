"""Payout balances: what creators are owed and were paid (money.md M19)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.auth.dependencies import Reader
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import require_own
from serving_api.resources.payouts.accruals.current import Accruals, accruals_now
from serving_api.resources.payouts.payments import repository as payments
from serving_api.resources.payouts.structures.rules import CURRENCY
from warehouse.amounts import bounded_cents
from warehouse.operational.models import Creator
from warehouse.reading.accruals.accrual import Accrual
from warehouse.reading.accruals.listing import AccrualFilter, Earned, earned_by

DUE: Final = ("final", "approved", "paid")


class Balance(BaseModel):
    """What a creator is owed and was paid, in cents. Negative if more was paid than owed."""

    accrued_cents: int = Field(description="Sum of final, approved and paid accruals")
    paid_cents: int = Field(description="Sum of paid payments")
    balance_cents: int = Field(description="`accrued_cents` minus `paid_cents`")
    open_cents: int = Field(description="Sum of open and settling accruals")
    currency: str


def read_balance(context: RequestContext, creator_id: UUID) -> Balance:
    """Return the balance of a creator, active or removed. Raises NotFound."""
    require_own(context, Creator, creator_id, "Creator")
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        return balances(accruals, [creator_id])[creator_id]


def balances(
    accruals: Accruals, creator_ids: Sequence[UUID], project_id: UUID | None = None
) -> Mapping[UUID, Balance]:
    """Return balances by creator id, all from one publication.

    `project_id` is given for all creators of a project: DuckDB then binds no ids.
    """
    earned = _earned(accruals, creator_ids, project_id)
    scope = (accruals.session, accruals.organization_id)
    paid = payments.paid_by_creator(*scope, creator_ids)
    return {
        creator_id: _balance(earned.get(creator_id, Earned()), paid.get(creator_id, 0))
        for creator_id in creator_ids
    }


def _earned(
    accruals: Accruals, creator_ids: Sequence[UUID], project_id: UUID | None
) -> Mapping[UUID, Earned]:
    if not creator_ids:
        return {}
    if accruals.cursor is None:
        return _earned_as_copied(accruals.newer().accruals)
    organization_id = accruals.organization_id
    filters = (
        AccrualFilter(organization_id=organization_id, project_id=project_id)
        if project_id
        else _of(organization_id, creator_ids)
    )
    return earned_by(accruals.cursor, filters, accruals.newer())


def _earned_as_copied(accruals: Sequence[Accrual]) -> Mapping[UUID, Earned]:
    """Sum the decided accruals: without a publication nothing else is known."""
    due: Counter[UUID] = Counter()
    for accrual in accruals:
        if accrual.status in DUE:
            due[accrual.creator_id] += accrual.amount_cents
    return {creator_id: Earned(bounded_cents(cents)) for creator_id, cents in due.items()}


def _of(organization_id: UUID, creator_ids: Sequence[UUID]) -> AccrualFilter:
    """Filter by creators. A single id lets DuckDB skip most of the table."""
    if len(creator_ids) == 1:
        return AccrualFilter(organization_id=organization_id, creator_id=creator_ids[0])
    ids = ",".join(map(str, creator_ids))
    return AccrualFilter(organization_id=organization_id, creator_ids=ids)


def _balance(earned: Earned, paid: int) -> Balance:
    paid_cents = bounded_cents(paid)
    return Balance(
        accrued_cents=earned.accrued_cents,
        paid_cents=paid_cents,
        balance_cents=bounded_cents(earned.accrued_cents - paid_cents),
        open_cents=earned.open_cents,
        currency=CURRENCY,
    )


router = keyed_router("payouts")


@router.get("/creators/{creator_id}/payout-balance")
def get_payout_balance(*, context: Reader, creator_id: UUID) -> Envelope[Balance]:
    """Return what a creator is owed and was paid."""
    return Envelope(data=read_balance(context, creator_id))
