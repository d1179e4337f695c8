"""Which corrections a paid amount has, and which amount a correction corrects (money.md M19)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from serving_api.kit.pagination import among
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import rows_of
from serving_api.resources.payouts.accruals import repository
from serving_api.resources.payouts.accruals.current import Accruals, Known, accruals_now
from serving_api.resources.payouts.disputes.schemas import Dispute
from warehouse.operational.dated import zone_of
from warehouse.operational.models import PayoutDispute, PayoutPayment
from warehouse.reading.accruals.accrual import Accrual


@dataclass(frozen=True, slots=True)
class Corrections:
    """The corrections of an amount in force; of a correction, what it corrects.

    `paid_on` is the day of its payment, None unless that amount is paid.
    """

    made: Sequence[Accrual] = ()
    corrected: Accrual | None = None
    paid_on: date | None = None


def read_corrections(
    context: RequestContext, accrual_ids: Collection[UUID]
) -> Mapping[UUID, Corrections]:
    with accruals_now(context.session, context.marts, context.organization_id) as now:
        return corrections_among(now, accrual_ids)


def corrections_among(now: Accruals, accrual_ids: Collection[UUID]) -> Mapping[UUID, Corrections]:
    """Return the corrections of amounts by id; those without any are left out."""
    known = now.find(accrual_ids) if accrual_ids else {}
    corrected = filter(None, map(_corrected, known.values()))
    paid_on = _paid_on(now, {each.payment_id for each in corrected if each.payment_id})
    corrections = {accrual_id: _corrections(each, paid_on) for accrual_id, each in known.items()}
    return {each: value for each, value in corrections.items() if value.made or value.corrected}


def waived_among(now: Accruals, disputes: Collection[PayoutDispute | Dispute]) -> Collection[UUID]:
    """Return the disputes whose correction will not be paid.

    A correction to 0 is none of its own: it is not paid if the amount itself is owed again.
    """
    to_zero = {
        dispute.id: dispute.accrual_id
        for dispute in disputes
        if not dispute.correction_id and dispute.correction_cents == -dispute.amount_cents
    }
    made = {each.id: each.correction_id for each in disputes if each.correction_id}
    ids = set(made.values())
    decisions = repository.decisions(now.session, now.organization_id, ids) if ids else ()
    void = {row.accrual_id for row in decisions if row.decision == "void"}
    known = now.find(set(to_zero.values())) if to_zero else {}
    amounts = {key: each.accrual for key, each in known.items()}
    owed = {key for key, each in amounts.items() if each.amount_cents and each.status != "void"}
    waived = {dispute_id for dispute_id, accrual_id in made.items() if accrual_id in void}
    return waived | {dispute_id for dispute_id, accrual_id in to_zero.items() if accrual_id in owed}


def _corrections(known: Known, paid_on: Mapping[UUID | None, date]) -> Corrections:
    corrected = _corrected(known)
    if corrected:
        return Corrections((), corrected, paid_on.get(corrected.payment_id))
    return Corrections(() if known.accrual.kind == "adjustment" else known.corrections)


def _corrected(known: Known) -> Accrual | None:
    """Return the amount that a correction corrects, None for others and if it is gone."""
    amounts = {each.accrual_id: each for each in known.state.accruals}
    corrects = known.accrual.adjusts_accrual_id
    return amounts.get(corrects) if corrects else None


def _paid_on(now: Accruals, payment_ids: Collection[UUID]) -> Mapping[UUID | None, date]:
    """Return the days of payments; pending ones have none."""
    if not payment_ids:
        return {}
    zone = zone_of(now.session, now.organization_id)
    statement = rows_of(PayoutPayment, now.organization_id).where(
        among(PayoutPayment.id, payment_ids), PayoutPayment.paid_at.is_not(None)
    )
    return {row.id: row.day_in(zone) for row in now.session.scalars(statement)}
