"""Amounts that bonuses replace after a dispute: of each such group at most one is owed."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import select

from serving_api.errors import Conflict
from serving_api.kit.pagination import among
from serving_api.resources.payouts.accruals.current import Accruals
from serving_api.resources.payouts.accruals.summary import page_dollars
from warehouse.operational.models import PayoutDispute
from warehouse.reading.accruals.accrual import Accrual

Pair = frozenset[UUID]
Replacing = tuple[UUID, UUID, int]


def require_unreplaced(accruals: Accruals, restored: Sequence[Accrual]) -> None:
    """Raise Conflict if another amount is owed in place of a void one that is restored.

    A bonus that no run has computed yet counts as owed.
    """
    if not (replacing := _replacing(accruals, restored)):
        return
    pairs = {bonus: frozenset({replaced, bonus}) for replaced, bonus, _ in replacing}
    known = accruals.find({each for pair in pairs.values() for each in pair})
    owed = {each for each, state in known.items() if state.accrual.status != "void"}
    owed |= {accrual.accrual_id for accrual in restored}
    since = accruals.published.decided_up_to
    owed |= {bonus for _, bonus, changed_by in replacing if changed_by >= since} - known.keys()
    bonuses = [
        pair
        for bonus, pair in pairs.items()
        if bonus not in known or known[bonus].accrual.kind == "earning"
    ]
    for accrual in restored:
        for other in owed & _linked(bonuses, accrual.accrual_id):
            raise _replaced(other, known[other].accrual if other in known else None)


def _replaced(accrual_id: UUID, accrual: Accrual | None) -> Conflict:
    owed = page_dollars(accrual.amount_cents) if accrual else "A bonus that the next run computes"
    message = f"{owed} replaces this amount since a dispute: void that amount first"
    return Conflict(message, reason="replaced", replaced_by=str(accrual_id))


def _replacing(accruals: Accruals, restored: Sequence[Accrual]) -> Sequence[Replacing]:
    """Return what the disputes of the creators lowered, by what, and the last transaction."""
    if not (creator_ids := {accrual.creator_id for accrual in restored}):
        return ()
    statement = select(
        PayoutDispute.accrual_id, PayoutDispute.correction_id, PayoutDispute.changed_by
    ).where(
        PayoutDispute.organization_id == accruals.organization_id,
        among(PayoutDispute.creator_id, creator_ids),
        PayoutDispute.correction_cents < 0,
    )
    rows = accruals.session.execute(statement)
    return [(one, other, changed_by) for one, other, changed_by in rows if other]


def _linked(pairs: Collection[Pair], accrual_id: UUID) -> set[UUID]:
    """Return the amounts that replace this one or that it replaces, also over several disputes."""
    linked: set[UUID] = set()
    ends = {accrual_id}
    while ends - linked:
        linked |= ends
        ends = {each for pair in pairs if pair & linked for each in pair}
    return linked - {accrual_id}
