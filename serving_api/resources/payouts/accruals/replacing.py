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
from serving_api.resources.payouts.accruals.coming import Coming, first_pay, runs
from serving_api.resources.payouts.accruals.current import Accruals, accruals_now
from serving_api.resources.payouts.accruals.summary import page_dollars
from warehouse.operational.models import PayoutDispute
from warehouse.reading.accruals.accrual import Accrual


class Bonus(NamedTuple):
    """A bonus by which a dispute corrected a creator's amount, by so many cents."""

    corrected_id: UUID
    bonus_id: UUID
    cents: int
    creator_id: UUID
    disputed_cents: int
    changed_by: int


@dataclass(frozen=True, slots=True)
class Disputed:
    """Amounts of creators by id, with the bonuses of their disputes.

    `replaced` are the amounts with the bonuses that replace them, whether published or not.
    """

    amounts: Mapping[UUID, Accrual]
    bonuses: Sequence[Bonus]
    replaced: Sequence[tuple[UUID, UUID]]
    coming: Mapping[UUID, Coming]

    @property
    def corrected(self) -> list[tuple[UUID, UUID]]:
        """Amounts with their bonuses and adjustments."""
        adjusted = ((each.adjusts_accrual_id, key) for key, each in self.amounts.items())
        bonuses = ((bonus.corrected_id, bonus.bonus_id) for bonus in self.bonuses)
        return [*bonuses, *((subject, key) for subject, key in adjusted if subject)]


@dataclass(frozen=True, slots=True)
class Owed:
    """What is owed of an amount after its disputes.

    `amount` is the amount or the bonus that replaces it, None if neither is owed. `cents` include
    its corrections, and are None until `run` computes a bonus. `other_cents` of them stay if
    `amount` is voided: bonuses that add to it, and paid corrections.
    """

    amount: Accrual | None
    cents: int | None
    other_cents: int
    run: str | None


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
    run = next((coming.run for key, coming in disputed.coming.items() if key in parts), None)
    return Owed(
        amount,
        None if run else sum(each.amount_cents for each in owed),
        sum(each.amount_cents for each in others),
        run,
    )


def _stays(accrual: Accrual, void_id: UUID) -> bool:
    """Return whether a part is owed once an amount is void, which is then not adjusted (M17)."""
    is_adjustment = accrual.adjusts_accrual_id == void_id and accrual.payment_id is None
    return accrual.accrual_id != void_id and not is_adjustment


class Replacement(NamedTuple):
    """What is owed in place of another amount: an amount, or a bonus that a run computes later."""

    accrual_id: UUID
    accrual: Accrual | None
    coming: Coming | None

    def refusal(self) -> Conflict:
        """Return the error for paying the other amount too."""
        owed = self.accrual.amount_cents if self.accrual else self.coming and self.coming.cents
        computed = f", which {self.coming.run} computes," if self.coming else ""
        replaces = f"{page_dollars(owed or 0)}{computed} replaces this amount since a dispute"
        message = f"{replaces}: void that amount first"
        return Conflict(message, reason="replaced", replaced_by=str(self.accrual_id))


def coming_bonuses(accruals: Accruals, creator_ids: Collection[UUID]) -> Mapping[UUID, Coming]:
    """Return the bonuses of creators' disputes that are owed and that the publication lacks."""
    return _disputed(accruals, creator_ids, ()).coming


def replacements(accruals: Accruals, payable: Sequence[Accrual]) -> Mapping[UUID, Replacement]:
    """Return what is owed in place of amounts to restore, approve or pay."""
    creators = {accrual.accrual_id: accrual.creator_id for accrual in payable}
    return _replacements(accruals, creators, payable=creators)


def read_replacements(
    context: RequestContext, rows: Iterable[schemas.Accrual]
) -> Mapping[UUID, Replacement]:
    """Return what is owed in place of those that are void, which cannot be restored until then."""
    void = {row.id: row.creator_id for row in rows if row.status == "void"}
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        return _replacements(accruals, void)


def _replacements(
    accruals: Accruals, creators: Mapping[UUID, UUID], payable: Collection[UUID] = ()
) -> Mapping[UUID, Replacement]:
    """Return what is owed in place of amounts, which `creators` has with their creators.

    A bonus that no run has computed yet counts as owed, and so do `payable` amounts.
    """
    if not creators:
        return {}
    disputed = _disputed(accruals, set(creators.values()), ())
    owed = {key for key, each in disputed.amounts.items() if each.status != "void"}
    owed |= {*payable, *disputed.coming}
    either = [*disputed.replaced, *((bonus, amount) for amount, bonus in disputed.replaced)]
    return {
        accrual_id: Replacement(other, disputed.amounts.get(other), disputed.coming.get(other))
        for accrual_id in creators.keys() & {start for start, _ in either}
        for other in owed & (_reachable(either, accrual_id) - {accrual_id})
    }


def _disputed(
    accruals: Accruals, creator_ids: Collection[UUID], accrual_ids: Collection[UUID]
) -> Disputed:
    """Return the disputed amounts of creators and some others, and the bonuses."""
    rows = _corrections(accruals, creator_ids)
    first = first_pay(accruals, {row.creator_id for row in rows}) if rows else {}
    ids = {*accrual_ids, *(key for row in rows for key in row[:2])}
    known = accruals.find(ids, earnings=first) if ids else {}
    amounts = {
        accrual.accrual_id: accrual for each in known.values() for accrual in each.state.accruals
    }
    cents_of = {key: each.amount_cents for key, each in amounts.items() if each.kind == "earning"}
    cents_of |= {key: cents for key, (_, cents) in first.items()}
    bonuses = [row for row in rows if row.bonus_id in cents_of]
    replaced = [
        (bonus.corrected_id, bonus.bonus_id)
        for bonus in bonuses
        if cents_of[bonus.bonus_id] != bonus.cents or _was_nothing(bonus, amounts)
    ]
    replacing = {bonus_id for _, bonus_id in replaced}
    absent = [(each.bonus_id, each.changed_by) for each in bonuses if each.bonus_id not in amounts]
    days = {key: day for key, (day, _) in first.items()}
    coming = {
        bonus_id: Coming(cents_of[bonus_id], bonus_id not in replacing, run)
        for bonus_id, run in (runs(accruals, absent, days) if absent else {}).items()
    }
    return Disputed(amounts, bonuses, replaced, coming)


def _was_nothing(bonus: Bonus, amounts: Mapping[UUID, Accrual]) -> bool:
    """Whether a bonus of just the difference replaces: an amount of 0 that is in no payment."""
    corrected = amounts.get(bonus.corrected_id)
    return bonus.disputed_cents == 0 and not (corrected and corrected.payment_id)


def _corrections(accruals: Accruals, creator_ids: Collection[UUID]) -> list[Bonus]:
    """Return bonuses and adjustments that the creators' disputes name."""
    dispute = PayoutDispute
    corrected = (dispute.accrual_id, dispute.correction_id, dispute.correction_cents)
    at_opening = (dispute.creator_id, dispute.amount_cents, dispute.changed_by)
    statement = select(*corrected, *at_opening).where(
        PayoutDispute.organization_id == accruals.organization_id,
        among(PayoutDispute.creator_id, creator_ids),
        PayoutDispute.correction_id.is_not(None),
    )
    return [Bonus._make(row) for row in accruals.session.execute(statement)]


def _reachable(pairs: Iterable[tuple[UUID, UUID]], accrual_id: UUID) -> set[UUID]:
    """Return the amount and those to which pairs lead from it."""
    reached = {accrual_id}
    while more := {end for start, end in pairs if start in reached} - reached:
        reached |= more
    return reached
