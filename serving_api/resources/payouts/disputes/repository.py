"""SQL of disputes, and the adjustment that corrects a disputed amount (money.md M19).

Every statement names the organization.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, not_, select
from sqlalchemy.orm import Session, aliased

from serving_api.kit.pagination import Keyset, among
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import matching, rows_of
from serving_api.resources.payouts.accruals.current import Known
from serving_api.resources.payouts.disputes.schemas import DisputeQuery
from warehouse.operational.models import PayoutDispute, User
from warehouse.reading.accruals.accrual import Accrual

NEWEST_FIRST = Keyset(PayoutDispute.opened_at, PayoutDispute.id, "payout-disputes")


def filtered(organization_id: UUID, query: DisputeQuery, now: datetime) -> Select[PayoutDispute]:
    names = ("project_id", "creator_id", "structure_id", "accrual_id", "state")
    statement = matching(PayoutDispute, organization_id, query, *names)
    if query.overdue is not None:
        overdue = is_overdue(now)
        statement = statement.where(overdue if query.overdue else not_(overdue))
    return statement


def is_overdue(now: datetime) -> ColumnElement[bool]:
    """Return the condition that an unresolved dispute is past its due date."""
    return and_(PayoutDispute.resolved_at.is_(None), PayoutDispute.due_at <= now)


def unresolved(session: Session, organization_id: UUID, accrual_id: UUID) -> UUID | None:
    """Return the accrual's open or answered dispute; there is at most one."""
    return session.scalar(
        rows_of(PayoutDispute, organization_id)
        .where(PayoutDispute.accrual_id == accrual_id, PayoutDispute.resolved_at.is_(None))
        .with_only_columns(PayoutDispute.id)
    )


def disputed_among(
    session: Session, organization_id: UUID, accrual_ids: Collection[UUID]
) -> Collection[UUID]:
    """Return the accruals that have an open or answered dispute."""
    statement = rows_of(PayoutDispute, organization_id).where(
        among(PayoutDispute.accrual_id, accrual_ids), PayoutDispute.resolved_at.is_(None)
    )
    return set(session.scalars(statement.with_only_columns(PayoutDispute.accrual_id)))


def of_accruals(
    session: Session, organization_id: UUID, accrual_ids: Collection[UUID]
) -> Mapping[UUID, Sequence[PayoutDispute]]:
    """Return disputes by accrual id, newest first; accruals without any are left out."""
    disputes_of: dict[UUID, list[PayoutDispute]] = {}
    statement = rows_of(PayoutDispute, organization_id).where(
        among(PayoutDispute.accrual_id, accrual_ids)
    )
    for row in session.scalars(NEWEST_FIRST.after(statement, None)):
        disputes_of.setdefault(row.accrual_id, []).append(row)
    return disputes_of


def member_names(
    context: RequestContext, dispute_ids: Collection[UUID]
) -> Mapping[UUID, tuple[str | None, str | None]]:
    """Return the names of the members who opened and answered, by dispute."""
    opener, answerer = aliased(User), aliased(User)
    statement = (
        select(PayoutDispute.id, opener.display_name, answerer.display_name)
        .outerjoin(opener, opener.id == PayoutDispute.opened_by)
        .outerjoin(answerer, answerer.id == PayoutDispute.answered_by)
    )
    own = PayoutDispute.organization_id == context.organization_id
    rows = context.session.execute(statement.where(own, among(PayoutDispute.id, dispute_ids)))
    return {dispute_id: (opened_by, answered_by) for dispute_id, opened_by, answered_by in rows}


def adjusted_so_far(known: Known) -> dict[str, int]:
    """Return the cents of an accrual's adjustments in force, by number."""
    return {str(each.adjustment_number): each.amount_cents for each in known.corrections}


def latest_correction(
    session: Session, known: Known, dispute: PayoutDispute
) -> tuple[Accrual, int] | None:
    """Return the latest adjustment since the dispute of a paid amount, and its change in cents.

    Without any, the latest that existed already, and the sum of those that are later than the
    disputed amount and than the adjustments that its disputes name. None if the sum is 0.
    """
    accrual = known.accrual
    if accrual.kind == "earning" and accrual.payment_id is None:
        return None
    by_number = {
        each.adjustment_number or 0: each
        for each in known.corrections
        if each.accrual_id != dispute.accrual_id
    }
    changes = {
        at: each.amount_cents - dispute.adjustments.get(str(at), 0)
        for at, each in by_number.items()
    }
    if changed := [at for at, cents in changes.items() if cents]:
        latest = max(changed)
        return by_number[latest], changes[latest]
    disputes = of_accruals(session, dispute.organization_id, [dispute.accrual_id])
    named = {each.correction_id for each in disputes[dispute.accrual_id]}
    numbers = (at for at, each in by_number.items() if each.accrual_id in named)
    last = max([accrual.adjustment_number or 0, *numbers])
    later = {at: each for at, each in by_number.items() if at > last}
    cents = sum(each.amount_cents for each in later.values())
    return (later[max(later)], cents) if cents else None
