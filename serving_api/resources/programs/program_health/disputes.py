"""Which disputes of amounts nobody resolved in time."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.resources.payouts.disputes.repository import is_overdue
from serving_api.resources.programs.program_health.payout_schemas import OverdueDispute
from serving_api.resources.programs.program_health.repository import MOST, Scope, creators_of
from warehouse.operational.models import Creator, PayoutDispute


def overdue_disputes(session: Session, scope: Scope, now: datetime) -> list[OverdueDispute]:
    """Return up to 25 of the project's or campaign's creators, the oldest first."""
    statement = (
        select(PayoutDispute)
        .where(
            PayoutDispute.organization_id == scope.organization_id,
            PayoutDispute.creator_id.in_(creators_of(scope).with_only_columns(Creator.id)),
            is_overdue(now),
        )
        .order_by(PayoutDispute.due_at, PayoutDispute.id)
        .limit(MOST)
    )
    return [
        OverdueDispute(
            dispute_id=row.id,
            accrual_id=row.accrual_id,
            creator_id=row.creator_id,
            amount_cents=row.amount_cents,
            currency=row.currency,
            opened_at=row.opened_at,
            due_at=row.due_at,
        )
        for row in session.scalars(statement)
    ]
