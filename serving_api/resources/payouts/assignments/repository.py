"""Rows of assignments and pauses: how they are read, and how they end (money.md M5, M6).

An assignment ends by request, with its structure, or with its creator. The last day is still
covered. An assignment that would begin later was never in force and is deleted. Every statement
names the organization.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Literal, cast
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from serving_api.kit.days import ONE_DAY, today_in
from serving_api.kit.pagination import Keyset
from serving_api.kit.rows import rows_of
from serving_api.resources.payouts.structures.repository import next_start, today_of
from serving_api.resources.payouts.structures.rules import Period
from warehouse.operational.base import business_now
from warehouse.operational.models import (
    Creator,
    PayoutAssignment,
    PayoutPause,
    PayoutStructure,
    PayoutVersion,
)
from warehouse.operational.session import WriteSession

Status = Literal["active", "paused", "ended"]


def is_over(assignment: PayoutAssignment, today: date) -> bool:
    """Return whether its last day is over, or is today because someone ended it.

    `is_current` is the opposite in SQL.
    """
    last_day = assignment.end_date
    if last_day is None or last_day > today:
        return False
    return last_day < today or assignment.ended_at is not None


NEWEST_FIRST = Keyset(PayoutAssignment.created_at, PayoutAssignment.id, "payout-assignments")


def of_structure(structure: PayoutStructure) -> Select[PayoutAssignment]:
    """Select all assignments of a structure, including ended ones."""
    return rows_of(PayoutAssignment, structure.organization_id).where(
        PayoutAssignment.structure_id == structure.id
    )


def covers_after(day: date) -> ColumnElement[bool]:
    """Return the condition that an assignment covers a day after this one."""
    return or_(PayoutAssignment.end_date.is_(None), PayoutAssignment.end_date > day)


def is_current(today: date) -> ColumnElement[bool]:
    """Return the condition that an assignment is not over: `is_over` in SQL."""
    over_today = and_(PayoutAssignment.end_date == today, PayoutAssignment.ended_at.is_not(None))
    return and_(covers_after(today - ONE_DAY), ~over_today)


def count_open(
    session: Session, organization_id: UUID, structure_ids: Collection[UUID], today: date
) -> Mapping[UUID, int]:
    """Return how many assignments of structures have not ended (`is_over`); none are left out."""
    counted = (
        select(PayoutAssignment.structure_id, func.count().label("number"))
        .where(
            PayoutAssignment.organization_id == organization_id,
            PayoutAssignment.structure_id.in_(structure_ids),
            is_current(today),
        )
        .group_by(PayoutAssignment.structure_id)
    )
    return {row.structure_id: row.number for row in session.execute(counted)}


def lock_covering(
    session: WriteSession,
    structure: PayoutStructure,
    day: date,
    creator_ids: Collection[UUID] | None = None,
) -> Sequence[PayoutAssignment]:
    """Lock and return a locked structure's assignments that cover this or a later day.

    Restricted to `creator_ids` if given.
    """
    covering = of_structure(structure).where(covers_after(day - ONE_DAY))
    if creator_ids is not None:
        covering = covering.where(PayoutAssignment.creator_id.in_(creator_ids))
    return session.scalars(covering.order_by(PayoutAssignment.id).with_for_update()).all()


def days_after(
    session: Session, structure: PayoutStructure, creator_ids: Collection[UUID], day: date
) -> Mapping[UUID, tuple[date, date | None]]:
    """Return by creator the dates of the first assignment that covers a day after this one."""
    covering = of_structure(structure).where(
        PayoutAssignment.creator_id.in_(creator_ids), covers_after(day)
    )
    dates = covering.with_only_columns(
        PayoutAssignment.creator_id, PayoutAssignment.start_date, PayoutAssignment.end_date
    ).order_by(PayoutAssignment.start_date.desc(), PayoutAssignment.id)
    return {creator_id: (start, end) for creator_id, start, end in session.execute(dates)}


def of_creator(creator: Creator) -> Select[PayoutAssignment, PayoutStructure]:
    """Select all assignments of a creator with their structures, including ended ones."""
    return (
        select(PayoutAssignment, PayoutStructure)
        .join(PayoutStructure, PayoutStructure.id == PayoutAssignment.structure_id)
        .where(
            PayoutAssignment.organization_id == creator.organization_id,
            PayoutAssignment.creator_id == creator.id,
        )
        .order_by(PayoutAssignment.id)
    )


def hold_creators(
    session: WriteSession, structure: PayoutStructure, creator_ids: Iterable[UUID]
) -> Mapping[UUID, Creator]:
    """Share-lock and return the creators of the structure's project, including removed ones.

    They can be neither removed nor changed until the transaction ends.
    """
    statement = (
        rows_of(Creator, structure.organization_id)
        .where(Creator.project_id == structure.project_id, Creator.id.in_(creator_ids))
        .order_by(Creator.id)
        .with_for_update(read=True)
        .execution_options(populate_existing=True)
    )
    return {creator.id: creator for creator in session.scalars(statement)}


def latest_pauses(
    session: Session, organization_id: UUID, creator_ids: Collection[UUID]
) -> Mapping[UUID, PayoutPause]:
    """Return each creator's latest pause by creator id; creators without one are left out."""
    statement = (
        rows_of(PayoutPause, organization_id)
        .where(PayoutPause.creator_id.in_(creator_ids))
        .ext(distinct_on(PayoutPause.creator_id))
        .order_by(PayoutPause.creator_id, PayoutPause.paused_at.desc(), PayoutPause.id.desc())
    )
    return {pause.creator_id: pause for pause in session.scalars(statement)}


def open_pause(session: WriteSession, creator: Creator) -> PayoutPause | None:
    return session.scalar(
        rows_of(PayoutPause, creator.organization_id).where(
            PayoutPause.creator_id == creator.id, PayoutPause.restarted_at.is_(None)
        )
    )


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
    for assignment in lock_covering(session, structure, today):
        end(session, assignment, today, today)


def end_of_creator(session: WriteSession, creator: Creator, organization_zone: str) -> None:
    """End all assignments of a removed creator, each today in its structure's timezone."""
    locked = of_creator(creator).with_for_update(of=PayoutAssignment)
    for assignment, structure in session.execute(locked):
        today = today_of(session, structure, organization_zone)
        if not is_over(assignment, today):
            end(session, assignment, today, today)


def count_of_creator(session: Session, creator: Creator, organization_zone: str) -> int:
    """Return how many assignments of a creator are in force or begin later."""
    return sum(
        not is_over(assignment, today_of(session, structure, organization_zone))
        for assignment, structure in session.execute(of_creator(creator))
    )


def pause(session: WriteSession, creator: Creator, by: UUID) -> None:
    """Pause all payouts of a creator from now on; no change if they are paused already.

    A pause never begins before the previous one ended, even if the clock went back: the latest is
    in force.
    """
    if open_pause(session, creator) is None:
        session.add(
            PayoutPause(
                organization_id=creator.organization_id,
                creator_id=creator.id,
                paused_at=_not_before_the_last(session, creator),
                paused_by=by,
            )
        )


def _not_before_the_last(session: WriteSession, creator: Creator) -> datetime:
    now = business_now(session)
    ended = latest_pauses(session, creator.organization_id, [creator.id])
    return max([now, *(pause.restarted_at or now for pause in ended.values())])


def restart(session: WriteSession, creator: Creator, by: UUID) -> None:
    """End the pause of a creator's payouts, if there is one. They resume with the next period."""
    paused = open_pause(session, creator)
    if paused is not None:
        paused.restarted_at = max(business_now(session), paused.paused_at)
        paused.restarted_by = by


def resume_day(pause: PayoutPause, version: PayoutVersion, zone: str) -> date | None:
    """Return the first day that a structure pays again, or None while the pause is open."""
    if pause.restarted_at is None:
        return None
    restarted = today_in(zone, pause.restarted_at)
    period = cast("Period | None", version.period)
    return next_start(restarted, period, version.period_anchor, zone)
