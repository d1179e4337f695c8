"""Which corrections a paid amount has, and which amount a correction corrects (money.md M19)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from serving_api.kit.pagination import among
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import rows_of
from serving_api.resources.payouts.accruals.current import Accruals, Known, accruals_now
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


def waived_among(now: Accruals, disputes: Iterable[PayoutDispute]) -> Collection[UUID]:
    """Return the corrections that disputes name and that will not be paid."""
    ids = {dispute.correction_id for dispute in disputes if dispute.correction_id}
    known = now.find(ids) if ids else {}
    return {each for each, state in known.items() if state.accrual.status == "void"}


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
