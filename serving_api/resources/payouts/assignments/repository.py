"""SQL of assignments and pauses. Every statement names the organization."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Literal
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from serving_api.kit.pagination import Keyset
from serving_api.kit.rows import rows_of
from warehouse.operational.models import Creator, PayoutAssignment, PayoutPause, PayoutStructure
from warehouse.operational.session import WriteSession

Status = Literal["active", "paused", "ended"]


def is_over(assignment: PayoutAssignment, today: date) -> bool:
    """Return whether its last day is over, or is today because someone ended it.

    `repository.count_open` is the same condition in SQL.
    """
    last_day = assignment.end_date
    if last_day is None or last_day > today:
        return False
    return last_day < today or assignment.ended_at is not None


NEWEST_FIRST = Keyset(PayoutAssignment.created_at, PayoutAssignment.id, "payout-assignments")
ONE_DAY = timedelta(days=1)


def of_structure(structure: PayoutStructure) -> Select[PayoutAssignment]:
    """Select all assignments of a structure, including ended ones."""
    return rows_of(PayoutAssignment, structure.organization_id).where(
        PayoutAssignment.structure_id == structure.id
    )


def covers_after(day: date) -> ColumnElement[bool]:
    """Return the condition that an assignment covers a day after this one."""
    return or_(PayoutAssignment.end_date.is_(None), PayoutAssignment.end_date > day)


def count_open(session: Session, structure: PayoutStructure, today: date) -> int:
    """Return how many assignments of a structure have not ended (`is_over`)."""
    over_today = and_(PayoutAssignment.end_date == today, PayoutAssignment.ended_at.is_not(None))
    open_ones = of_structure(structure).where(covers_after(today - ONE_DAY), ~over_today)
    return session.scalars(select(func.count()).select_from(open_ones.subquery())).one()


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


def covering_after(
    session: Session, structure: PayoutStructure, creator_ids: Collection[UUID], day: date
) -> frozenset[UUID]:
    """Return the creators with an assignment that covers a day after this one."""
    covering = of_structure(structure).where(
        PayoutAssignment.creator_id.in_(creator_ids), covers_after(day)
    )
    return frozenset(session.scalars(covering.with_only_columns(PayoutAssignment.creator_id)))


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
    """Return the creator's current pause, or None."""
    return session.scalar(
        rows_of(PayoutPause, creator.organization_id).where(
            PayoutPause.creator_id == creator.id, PayoutPause.restarted_at.is_(None)
        )
    )
