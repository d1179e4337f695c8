"""The payouts section of the share page: amounts and payments.

Each amount has its summary and a signed statement. Notes and references are internal to the
organization and not shown.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from serving_api.desk.payouts.listing import STATUS_LABELS
from serving_api.errors import NotFound
from serving_api.kit.published import Published
from serving_api.kit.rows import rows_of
from serving_api.kit.services import Services
from serving_api.resources.payouts.accruals.current import Accruals, Known, accruals_now
from serving_api.resources.payouts.accruals.evidence import Explained, evidence_for, explain
from serving_api.resources.payouts.accruals.presenter import statement_of
from serving_api.resources.payouts.accruals.schemas import AccrualDetail, SignedStatement
from serving_api.resources.payouts.accruals.summary import on_page, page_dollars
from serving_api.resources.payouts.balance import balances
from serving_api.resources.payouts.disputes.repository import of_accruals
from serving_api.share_page.corrections import Corrections, corrections_among, waived_among
from warehouse.operational.base import business_now
from warehouse.operational.dated import zone_of
from warehouse.operational.models import PayoutDispute, PayoutPayment, ShareLink
from warehouse.reading.accruals.accrual import Accrual
from warehouse.reading.accruals.listing import AccrualFilter, list_accruals
from warehouse.reading.accruals.published import load_sentence_evidence


def outcome_of(dispute: PayoutDispute, waived: Collection[UUID]) -> str:
    """Return a dispute's state in words; `waived` are those whose correction will not be paid."""
    if dispute.id in waived:
        return "disputed, accepted, but the correction will not be paid"
    if dispute.correction_cents is not None:
        return f"disputed, corrected by {page_dollars(dispute.correction_cents)}"
    return {
        "open": "disputed, not answered yet",
        "answered": "disputed, answered, not decided yet",
        "rejected": "disputed, reviewed, amount unchanged",
    }[dispute.state]


LATEST = 12


@dataclass(frozen=True, slots=True)
class Owed:
    """An amount: title, inclusive days, money, summary and status.

    `dispute` is the status of its latest dispute, `related` its corrections.
    """

    id: UUID
    title: str
    from_day: date
    to_day: date
    amount: str
    post_count: int | None
    status_label: str
    sentence: str
    dispute: str | None
    related: Corrections | None


@dataclass(frozen=True, slots=True)
class Paid:
    """A payment and its day."""

    day: date
    amount: str


@dataclass(frozen=True, slots=True)
class Payouts:
    """The section, with formatted amounts; `sums` by label."""

    sums: Mapping[str, str]
    owed: Sequence[Owed]
    paid: Sequence[Paid]


def payouts_of(session: Session, numbers: Published, link: ShareLink) -> Payouts | None:
    """Return the section, or None without any amount or payment."""
    with accruals_now(session, numbers, link.organization_id) as now:
        balance = balances(now, [link.creator_id])[link.creator_id]
        owed = _owed(now, link)
    paid = _paid(session, link)
    if not owed and not paid:
        return None
    sums = {
        "Earned": page_dollars(balance.accrued_cents),
        "Paid": page_dollars(balance.paid_cents),
        "Balance": page_dollars(balance.balance_cents),
        "Not final yet": page_dollars(balance.open_cents),
    }
    return Payouts(sums, owed, paid)


def _owed(now: Accruals, link: ShareLink) -> list[Owed]:
    if now.cursor is None:
        return []
    filters = AccrualFilter(organization_id=link.organization_id, creator_id=link.creator_id)
    listed = list_accruals(now.cursor, filters, now.newer(), after=None, limit=LATEST)
    amounts = explain(now, listed, evidence_for(now, listed, load_sentence_evidence))
    ids = [accrual.accrual_id for accrual in listed]
    at = business_now(now.session)
    disputes = of_accruals(now.session, link.organization_id, ids)
    related = corrections_among(now, ids)
    waived = waived_among(now, [row for rows in disputes.values() for row in rows])
    outcomes = {each: outcome_of(rows[0], waived) for each, rows in disputes.items()}
    return [
        line(amount, outcomes.get(accrual_id), related.get(accrual_id), at)
        for accrual_id, amount in zip(ids, amounts, strict=True)
    ]


def line(
    explained: Explained, dispute: str | None, related: Corrections | None, at: datetime
) -> Owed:
    """Return an amount for the page, with the outcome of its latest dispute.

    An amount on hold shows no reason, so that no creator is accused.
    """
    accrual, name = explained.accrual, explained.structure_name
    return Owed(
        id=accrual.accrual_id,
        title=name if accrual.kind == "earning" else f"{name} (correction)",
        from_day=accrual.period_start,
        to_day=accrual.period_end,
        amount=page_dollars(accrual.amount_cents),
        post_count=accrual.post_count,
        status_label=STATUS_LABELS["on_hold" if explained.waits_for else accrual.status].lower(),
        sentence=so_far(accrual, explained.summary, at),
        dispute=dispute,
        related=related,
    )


def so_far(accrual: Accrual | AccrualDetail, summary: str, at: datetime) -> str:
    """Return the summary for pages; in a period in progress, after the day that it has reached.

    Fees and goals already cover the days to come.
    """
    days = (accrual.period_end - accrual.period_start).days + 1
    if accrual.status != "open" or days == 1:
        return on_page(summary)
    day = (at.astimezone(ZoneInfo(accrual.timezone)).date() - accrual.period_start).days + 1
    is_by_days = accrual.criteria_type in ("recurring", "goals")
    when = "at its end, if nothing changes" if is_by_days else "so far"
    return f"Day {min(day, days)} of {days}; {when}: {on_page(summary)}"


def own_amount(now: Accruals, link: ShareLink, accrual_id: UUID) -> Known:
    """Return one of the creator's shown amounts. Raises NotFound."""
    known = now.find([accrual_id]).get(accrual_id)
    if not (link.show_payouts and known and known.accrual.creator_id == link.creator_id):
        raise NotFound("This amount is not available")
    return known


def own_explained(now: Accruals, link: ShareLink, accrual_id: UUID) -> Explained:
    """Return one of the creator's shown amounts with evidence. Raises NotFound."""
    accrual = own_amount(now, link, accrual_id).accrual
    [explained] = explain(now, [accrual], evidence_for(now, [accrual]))
    return explained


def statement_for(
    session: Session, services: Services, link: ShareLink, accrual_id: UUID
) -> SignedStatement:
    """Return the statement of one of the creator's shown amounts. Raises NotFound."""
    with accruals_now(session, services.published, link.organization_id) as now:
        return statement_of(now, services, own_explained(now, link, accrual_id))


def _paid(session: Session, link: ShareLink) -> list[Paid]:
    zone = zone_of(session, link.organization_id)
    latest = (
        rows_of(PayoutPayment, link.organization_id)
        .where(PayoutPayment.creator_id == link.creator_id, PayoutPayment.status == "paid")
        .order_by(PayoutPayment.paid_at.desc(), PayoutPayment.id.desc())
        .limit(LATEST)
    )
    return [
        Paid(row.day_in(zone), page_dollars(row.amount_cents)) for row in session.scalars(latest)
    ]
