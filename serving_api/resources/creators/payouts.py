"""What decisions about a creator mean for its payouts: pauses, and the end of assignments.

Which days of a structure a pause covers follows from its instants (money.md M6).
"""

from datetime import date
from uuid import UUID

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from warehouse.operational.base import business_now
from warehouse.operational.models import Creator, PayoutAssignment, PayoutPause
from warehouse.operational.session import WriteSession


def count_assignments(
    session: Session, organization_id: UUID, creator_id: UUID, today: date
) -> int:
    """Return how many payout structures are assigned, today or from a later day on."""
    assigned = _not_over(organization_id, creator_id, today).subquery()
    return session.scalars(select(func.count()).select_from(assigned)).one()


def pause(session: WriteSession, creator: Creator, by: UUID) -> None:
    """Pause all payouts of a creator from now on; where they are paused, nothing changes."""
    if _open_pause(session, creator) is None:
        session.add(
            PayoutPause(
                organization_id=creator.organization_id,
                creator_id=creator.id,
                paused_at=business_now(session),
                paused_by=by,
            )
        )


def restart(session: WriteSession, creator: Creator, by: UUID) -> None:
    """End the pause of a creator's payouts, if there is one: they go on from the next period."""
    paused = _open_pause(session, creator)
    if paused is not None:
        paused.restarted_at = max(business_now(session), paused.paused_at)
        paused.restarted_by = by


def end_assignments(session: WriteSession, creator: Creator, today: date) -> None:
    """End what is assigned to a creator that is removed, today being the last day (money.md M5).

    An assignment that would have begun later never was in force, and goes.
    """
    statement = _not_over(creator.organization_id, creator.id, today).with_for_update()
    for assignment in session.scalars(statement):
        if assignment.start_date > today:
            session.delete(assignment)
        else:
            assignment.end_date = today
            assignment.ended_at = business_now(session)


def _not_over(organization_id: UUID, creator_id: UUID, today: date) -> Select[PayoutAssignment]:
    return select(PayoutAssignment).where(
        PayoutAssignment.organization_id == organization_id,
        PayoutAssignment.creator_id == creator_id,
        or_(PayoutAssignment.end_date.is_(None), PayoutAssignment.end_date >= today),
    )


def _open_pause(session: WriteSession, creator: Creator) -> PayoutPause | None:
    return session.scalar(
        select(PayoutPause).where(
            PayoutPause.organization_id == creator.organization_id,
            PayoutPause.creator_id == creator.id,
            PayoutPause.restarted_at.is_(None),
        )
    )
