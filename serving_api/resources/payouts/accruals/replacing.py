"""Bonuses that replace amounts after a dispute, or add to paid ones."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import and_, select

from serving_api.errors import Conflict
from serving_api.kit.days import day_in_words, today_in
from serving_api.kit.pagination import among
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals import repository, schemas
from serving_api.resources.payouts.accruals.current import Accruals, accruals_now
from serving_api.resources.payouts.accruals.summary import page_dollars
from warehouse.ids import accrual_id as earning_id
from warehouse.operational.base import business_now
from warehouse.operational.dated import zone_of
from warehouse.operational.models import PayoutAssignment, PayoutDispute, PayoutVersion
from warehouse.reading.accruals.accrual import Accrual


class Bonus(NamedTuple):
    """A bonus by which a dispute corrected a creator's amount, by so many cents."""

    corrected_id: UUID
    bonus_id: UUID
    cents: int
    creator_id: UUID


class Coming(NamedTuple):
    """A bonus that the publication lacks, and the run that computes it.

    One that adds to an amount pays just the difference, any other replaces the amount.
    """

    cents: int
    adds: bool
    run: str


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
    ids = {*accrual_ids, *(key for row in rows for key in row[:2])}
    known = accruals.find(ids) if ids else {}
    amounts = {
        accrual.accrual_id: accrual for each in known.values() for accrual in each.state.accruals
    }
    first_pay = _first_pay(accruals, {row.creator_id for row in rows}) if rows else {}
    cents_of = {key: each.amount_cents for key, each in amounts.items() if each.kind == "earning"}
    cents_of |= {key: cents for key, (_, cents) in first_pay.items()}
    bonuses = [row for row in rows if row.bonus_id in cents_of]
    replaced = [
        (bonus.corrected_id, bonus.bonus_id)
        for bonus in bonuses
        if cents_of[bonus.bonus_id] != bonus.cents
    ]
    absent = {bonus.bonus_id for bonus in bonuses if bonus.bonus_id not in amounts}
    replacing = {bonus_id for _, bonus_id in replaced}
    coming = {
        bonus_id: Coming(cents_of[bonus_id], bonus_id not in replacing, run)
        for bonus_id, run in _runs(accruals, {key: first_pay[key][0] for key in absent}).items()
    }
    return Disputed(amounts, bonuses, replaced, coming)


def _corrections(accruals: Accruals, creator_ids: Collection[UUID]) -> list[Bonus]:
    """Return bonuses and adjustments that the creators' disputes name."""
    columns = ("accrual_id", "correction_id", "correction_cents", "creator_id")
    statement = select(*(getattr(PayoutDispute, name) for name in columns)).where(
        PayoutDispute.organization_id == accruals.organization_id,
        among(PayoutDispute.creator_id, creator_ids),
        PayoutDispute.correction_id.is_not(None),
    )
    return [Bonus._make(row) for row in accruals.session.execute(statement)]


def _first_pay(
    accruals: Accruals, creator_ids: Collection[UUID]
) -> Mapping[UUID, tuple[date, int]]:
    """Return what assignments of creators pay for their first day, as bonuses do, by amount.

    The cents are those of the rule's first version, which the dispute was accepted with.
    """
    assigned, version = PayoutAssignment, PayoutVersion
    columns = (assigned.structure_id, assigned.creator_id, assigned.start_date)
    statement = (
        select(*columns, version.amount_cents)
        .join(version, and_(version.structure_id == assigned.structure_id, version.number == 1))
        .where(
            assigned.organization_id == accruals.organization_id,
            version.organization_id == accruals.organization_id,
            version.amount_cents.is_not(None),
            among(assigned.creator_id, creator_ids),
        )
    )
    rows = accruals.session.execute(statement)
    return {earning_id(rule, creator, day): (day, cents or 0) for rule, creator, day, cents in rows}


def _runs(accruals: Accruals, days: Mapping[UUID, date]) -> Mapping[UUID, str]:
    """Return the runs that compute bonuses, which `days` has with their days, if not void.

    A new time zone of the organization moves a day into the future.
    """
    if not days:
        return {}
    decisions = repository.decisions(accruals.session, accruals.organization_id, days)
    void = {row.accrual_id for row in decisions if row.decision == "void"}
    zone = zone_of(accruals.session, accruals.organization_id)
    today = today_in(zone, business_now(accruals.session))
    return {
        key: f"the first run on {day_in_words(day)} or later" if day > today else "the next run"
        for key, day in days.items()
        if key not in void
    }


def _reachable(pairs: Iterable[tuple[UUID, UUID]], accrual_id: UUID) -> set[UUID]:
    """Return the amount and those to which pairs lead from it."""
    reached = {accrual_id}
    while more := {end for start, end in pairs if start in reached} - reached:
        reached |= more
    return reached
