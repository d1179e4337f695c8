"""Bonuses that replace amounts after a dispute, or add to paid ones."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select

from serving_api.errors import Conflict
from serving_api.kit.pagination import among
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals import schemas
from serving_api.resources.payouts.accruals.current import Accruals, accruals_now
from serving_api.resources.payouts.accruals.summary import page_dollars
from warehouse.ids import accrual_id as earning_id
from warehouse.operational.models import PayoutAssignment, PayoutDispute
from warehouse.reading.accruals.accrual import Accrual


class Bonus(NamedTuple):
    """A bonus by which a dispute corrected an amount, by so many cents."""

    corrected_id: UUID
    bonus_id: UUID
    cents: int
    changed_by: int


@dataclass(frozen=True, slots=True)
class Disputed:
    """Amounts of creators by id, with the bonuses of their disputes.

    `coming` are the bonuses that the next run computes.
    """

    amounts: Mapping[UUID, Accrual]
    bonuses: Sequence[Bonus]
    coming: Collection[UUID]

    @property
    def replaced(self) -> list[tuple[UUID, UUID]]:
        """The replaced amounts with their bonuses; a bonus that adds pays just the difference."""
        return [
            (bonus.corrected_id, bonus.bonus_id)
            for bonus in self.bonuses
            if bonus.bonus_id in self.coming
            or self._cents(bonus.bonus_id) not in (None, bonus.cents)
        ]

    @property
    def corrected(self) -> list[tuple[UUID, UUID]]:
        """Amounts with their bonuses and adjustments."""
        adjusted = ((each.adjusts_accrual_id, key) for key, each in self.amounts.items())
        bonuses = ((bonus.corrected_id, bonus.bonus_id) for bonus in self.bonuses)
        return [*bonuses, *((subject, key) for subject, key in adjusted if subject)]

    def _cents(self, accrual_id: UUID) -> int | None:
        accrual = self.amounts.get(accrual_id)
        return accrual.amount_cents if accrual else None


@dataclass(frozen=True, slots=True)
class Owed:
    """What is owed of an amount after its disputes.

    `amount` is the amount or the bonus that replaces it, None if neither is owed. `cents` include
    its corrections and are None until the next run computes a bonus. `other_cents` of them stay if
    `amount` is voided: bonuses that add to it, and paid corrections.
    """

    amount: Accrual | None
    cents: int | None
    other_cents: int


def read_owed(context: RequestContext, accrual_id: UUID, creator_id: UUID) -> Owed:
    """Return what is owed of a creator's amount after its disputes."""
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        disputed = _disputed(accruals, {creator_id}, [accrual_id])
    parts = _reachable(disputed.corrected, accrual_id)
    owed = [
        each for key, each in disputed.amounts.items() if key in parts and each.status != "void"
    ]
    either = _reachable(disputed.replaced, accrual_id)
    amount = next((each for each in owed if each.accrual_id in either), None)
    others = [each for each in owed if amount and _stays(each, amount.accrual_id)]
    return Owed(
        amount,
        None if parts.intersection(disputed.coming) else sum(each.amount_cents for each in owed),
        sum(each.amount_cents for each in others),
    )


def _stays(accrual: Accrual, void_id: UUID) -> bool:
    """Return whether a part is owed once an amount is void, which is then not adjusted (M17)."""
    is_adjustment = accrual.adjusts_accrual_id == void_id and accrual.payment_id is None
    return accrual.accrual_id != void_id and not is_adjustment


class Replacement(NamedTuple):
    """The amount that is owed in place of another; None until the next run computes the bonus."""

    accrual_id: UUID
    accrual: Accrual | None


def require_unreplaced(accruals: Accruals, restored: Sequence[Accrual]) -> None:
    """Raise Conflict if another amount is owed in place of a void one that is restored."""
    void = {accrual.accrual_id: accrual.creator_id for accrual in restored}
    for replacement in _replacements(accruals, void, restored=void).values():
        raise _replaced(*replacement)


def read_replacements(
    context: RequestContext, rows: Iterable[schemas.Accrual]
) -> Mapping[UUID, Replacement]:
    """Return what is owed in place of those that are void, which cannot be restored until then."""
    void = {row.id: row.creator_id for row in rows if row.status == "void"}
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        return _replacements(accruals, void)


def _replacements(
    accruals: Accruals, void: Mapping[UUID, UUID], restored: Collection[UUID] = ()
) -> Mapping[UUID, Replacement]:
    """Return what is owed in place of void amounts, which `void` has with their creators.

    A bonus that no run has computed yet counts as owed, and so do `restored` amounts.
    """
    if not void:
        return {}
    disputed = _disputed(accruals, set(void.values()), ())
    owed = {key for key, each in disputed.amounts.items() if each.status != "void"}
    owed |= {*restored, *disputed.coming}
    either = [*disputed.replaced, *((bonus, amount) for amount, bonus in disputed.replaced)]
    return {
        accrual_id: Replacement(other, disputed.amounts.get(other))
        for accrual_id in void
        for other in owed & (_reachable(either, accrual_id) - {accrual_id})
    }


def _replaced(accrual_id: UUID, accrual: Accrual | None) -> Conflict:
    owed = page_dollars(accrual.amount_cents) if accrual else "A bonus that the next run computes"
    message = f"{owed} replaces this amount since a dispute: void that amount first"
    return Conflict(message, reason="replaced", replaced_by=str(accrual_id))


def _disputed(
    accruals: Accruals, creator_ids: Collection[UUID], accrual_ids: Collection[UUID]
) -> Disputed:
    """Return the disputed amounts of creators and some others, and the bonuses."""
    rows = _corrections(accruals, creator_ids)
    ids = {*accrual_ids, *(key for row in rows for key in row[:2])}
    known = accruals.find(ids) if ids else {}
    amounts = {
        accrual.accrual_id: accrual for each in known.values() for accrual in each.state.accruals
    }
    earnings = {key for key, each in amounts.items() if each.kind == "earning"}
    earnings |= _first_earnings(accruals, creator_ids) if rows else set()
    bonuses = [row for row in rows if row.bonus_id in earnings]
    since = accruals.published.decided_up_to
    made = {bonus.bonus_id for bonus in bonuses if bonus.changed_by >= since}
    return Disputed(amounts, bonuses, made - amounts.keys())


def _corrections(accruals: Accruals, creator_ids: Collection[UUID]) -> list[Bonus]:
    """Return bonuses and adjustments that the creators' disputes name."""
    columns = ("accrual_id", "correction_id", "correction_cents", "changed_by")
    statement = select(*(getattr(PayoutDispute, name) for name in columns)).where(
        PayoutDispute.organization_id == accruals.organization_id,
        among(PayoutDispute.creator_id, creator_ids),
        PayoutDispute.correction_id.is_not(None),
    )
    return [Bonus._make(row) for row in accruals.session.execute(statement)]


def _first_earnings(accruals: Accruals, creator_ids: Collection[UUID]) -> set[UUID]:
    """Return the ids of what assignments of creators pay for their first day, as bonuses do."""
    assigned = PayoutAssignment
    statement = select(assigned.structure_id, assigned.creator_id, assigned.start_date).where(
        assigned.organization_id == accruals.organization_id,
        among(assigned.creator_id, creator_ids),
    )
    rows = accruals.session.execute(statement)
    return {earning_id(rule, creator, first_day) for rule, creator, first_day in rows}


def _reachable(pairs: Iterable[tuple[UUID, UUID]], accrual_id: UUID) -> set[UUID]:
    """Return the amount and those to which pairs lead from it."""
    reached = {accrual_id}
    while more := {end for start, end in pairs if start in reached} - reached:
        reached |= more
    return reached
