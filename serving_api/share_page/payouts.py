"""The section of payouts: what the creator is owed and was paid, and for what.

Each amount has the sentence that explains it, and its signed statement to be checked by anybody.
Notes and references are the organization's own and stay out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.errors import NotFound
from serving_api.kit.published import Published
from serving_api.resources.payouts.accruals.evidence import Evidence, evidence_for
from serving_api.resources.payouts.accruals.holds import odd_behind
from serving_api.resources.payouts.accruals.repository import structure_names
from serving_api.resources.payouts.accruals.schemas import SignedStatement
from serving_api.resources.payouts.accruals.standing import Accruals, Known, accruals_now
from serving_api.resources.payouts.accruals.statements import statement_of
from serving_api.resources.payouts.accruals.summary import dollars, summary_of
from serving_api.resources.payouts.balance import balances
from serving_api.resources.payouts.disputes.repository import of_accruals
from serving_api.services import Services
from serving_api.share_page.outcomes import outcome_of
from warehouse.operational.dated import zone_of
from warehouse.operational.models import PayoutDispute, PayoutPayment, ShareLink
from warehouse.reading.accruals.accrual import Accrual, AccrualStatus
from warehouse.reading.accruals.listing import AccrualFilter, list_accruals
from warehouse.reading.accruals.published import evidence_said

LATEST = 12
STANDS: Mapping[AccrualStatus, str] = {
    "open": "in progress",
    "settling": "being checked",
    "final": "due",
    "approved": "approved",
    "paid": "paid",
    "void": "not paid",
}
WAITS = "waiting for a check"
"""How an amount stands that can't be paid before somebody looked at the readings behind it."""


@dataclass(frozen=True, slots=True)
class Owed:
    """An accrual: for what, when (inclusive days), how much and why, and how it stands.

    `dispute` says how the last one of it stands.
    """

    id: UUID
    title: str
    from_day: date
    to_day: date
    amount: str
    post_count: int | None
    stands: str
    sentence: str
    dispute: str | None


@dataclass(frozen=True, slots=True)
class Paid:
    """A payment, and its day in the organization's zone."""

    day: date
    amount: str


@dataclass(frozen=True, slots=True)
class Payouts:
    """The section. Amounts are told as people write them, sums by what they are."""

    sums: Mapping[str, str]
    owed: Sequence[Owed]
    paid: Sequence[Paid]


def payouts_of(session: Session, numbers: Published, link: ShareLink) -> Payouts | None:
    """Return the section, None where the creator was never owed or paid anything."""
    balance = balances(session, numbers, link.organization_id, [link.creator_id])[link.creator_id]
    owed = _owed(session, numbers, link)
    paid = _paid(session, link)
    if not owed and not paid:
        return None
    sums = {
        "Earned": dollars(balance.accrued_cents),
        "Paid": dollars(balance.paid_cents),
        "To be paid": dollars(balance.balance_cents),
        "Not final yet": dollars(balance.open_cents),
    }
    return Payouts(sums, owed, paid)


def _owed(session: Session, numbers: Published, link: ShareLink) -> list[Owed]:
    filters = AccrualFilter(organization_id=link.organization_id, creator_id=link.creator_id)
    with accruals_now(session, numbers, link.organization_id) as now:
        if now.cursor is None:
            return []
        accruals = list_accruals(now.cursor, filters, now.newer(), after=None, limit=LATEST)
        evidence = evidence_for(now, accruals, evidence_said)
        held = odd_behind(now, accruals)
    structures = {accrual.structure_id for accrual in accruals}
    names = structure_names(session, link.organization_id, structures)
    disputes_by_accrual = of_accruals(session, link.organization_id, list(evidence))
    return [
        line(
            accrual,
            names[accrual.structure_id],
            evidence[accrual_id],
            disputes_by_accrual.get(accrual_id, ()),
            is_held=accrual_id in held,
        )
        for accrual in accruals
        for accrual_id in [accrual.accrual_id]
    ]


def line(
    accrual: Accrual,
    name: str,
    evidence: Evidence,
    disputes: Sequence[PayoutDispute],
    *,
    is_held: bool,
) -> Owed:
    """Return an accrual as the page tells of it, with the latest of its disputes.

    What is held waits for a check; of what, the page doesn't say: nobody is accused.
    """
    return Owed(
        id=accrual.accrual_id,
        title=name if accrual.kind == "earning" else f"{name} (correction)",
        from_day=accrual.period_start,
        to_day=accrual.period_end,
        amount=dollars(accrual.amount_cents),
        post_count=accrual.post_count,
        stands=WAITS if is_held else STANDS[accrual.status],
        sentence=summary_of(accrual, evidence),
        dispute=outcome_of(disputes[0]) if disputes else None,
    )


def own_amount(now: Accruals, link: ShareLink, accrual_id: UUID) -> Known:
    """Return an amount that the page tells of. Raises NotFound for any other."""
    known = now.find([accrual_id]).get(accrual_id)
    if not (link.show_payouts and known and known.accrual.creator_id == link.creator_id):
        raise NotFound("This amount is not available")
    return known


def statement_for(
    session: Session, services: Services, link: ShareLink, accrual_id: UUID
) -> SignedStatement:
    """Return the statement of an amount that the page tells of. Raises NotFound for any other."""
    with accruals_now(session, services.published, link.organization_id) as now:
        known = own_amount(now, link, accrual_id)
        evidence = evidence_for(now, [known.accrual])[accrual_id]
        return statement_of(now, services, known.accrual, evidence)


def _paid(session: Session, link: ShareLink) -> list[Paid]:
    zone = ZoneInfo(zone_of(session, link.organization_id))
    latest = (
        select(PayoutPayment)
        .where(
            PayoutPayment.organization_id == link.organization_id,
            PayoutPayment.creator_id == link.creator_id,
            PayoutPayment.status == "paid",
        )
        .order_by(PayoutPayment.paid_at.desc(), PayoutPayment.id.desc())
        .limit(LATEST)
    )
    return [
        Paid((row.paid_at or row.created_at).astimezone(zone).date(), dollars(row.amount_cents))
        for row in session.scalars(latest)
    ]
