"""How assignments end: by request, with their structure, or with their creator (money.md M5).

The last day is still covered. An assignment that would begin later was never in force and is
deleted.
"""

from datetime import date

from sqlalchemy.orm import Session

from serving_api.resources.payouts.assignments import repository
from serving_api.resources.payouts.assignments.repository import is_over
from serving_api.resources.payouts.structures.zones import today_of
from warehouse.operational.base import business_now
from warehouse.operational.models import Creator, PayoutAssignment, PayoutStructure
from warehouse.operational.session import WriteSession


def end(session: WriteSession, assignment: PayoutAssignment, last_day: date, today: date) -> None:
    """End a locked assignment with `last_day`; one that already ends by then is unchanged.

    `ended_at` is set if it was ended with effect today or earlier.
    """
    if assignment.start_date > last_day:
        session.delete(assignment)
        return
    if assignment.end_date is None or assignment.end_date > last_day:
        assignment.end_date = last_day
    elif is_over(assignment, today):
        return
    if last_day <= today and assignment.ended_at is None:
        assignment.ended_at = business_now(session)


def end_of_structure(
    session: WriteSession, structure: PayoutStructure, organization_zone: str
) -> None:
    """End all assignments of a locked structure today, in the structure's timezone."""
    today = today_of(session, structure, organization_zone)
    for assignment in repository.lock_covering(session, structure, today):
        end(session, assignment, today, today)


def end_of_creator(session: WriteSession, creator: Creator, organization_zone: str) -> None:
    """End all assignments of a removed creator, each today in its structure's timezone."""
    locked = repository.of_creator(creator).with_for_update(of=PayoutAssignment)
    for assignment, structure in session.execute(locked):
        today = today_of(session, structure, organization_zone)
        if not is_over(assignment, today):
            end(session, assignment, today, today)


def count_of_creator(session: Session, creator: Creator, organization_zone: str) -> int:
    """Return how many assignments of a creator are in force or begin later."""
    return sum(
        not is_over(assignment, today_of(session, structure, organization_zone))
        for assignment, structure in session.execute(repository.of_creator(creator))
    )
