"""Assign creators to payout structures, and end assignments.

Assigning and ending lock the structure first, so that two requests cannot assign the same
creator, then the creators, so that none is removed meanwhile.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.errors import (
    AlreadyAssigned,
    Conflict,
    CreatorInactive,
    InvalidBody,
    NotFound,
)
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import from_row, require_own
from serving_api.resources.payouts.assignments import repository, schemas
from serving_api.resources.payouts.assignments.repository import Status, is_over
from serving_api.resources.payouts.budgets.spend import require_budget
from serving_api.resources.payouts.structures import service as structures
from serving_api.resources.payouts.structures.bonuses import bonus_day
from serving_api.resources.payouts.structures.repository import current_versions, today_of, zone_of
from warehouse.operational.models import Creator, PayoutAssignment, PayoutPause, PayoutStructure
from warehouse.operational.session import WriteSession
from warehouse.zones import start_of

ONE_DAY = timedelta(days=1)


def present(
    session: Session,
    structure: PayoutStructure,
    rows: Sequence[PayoutAssignment],
    organization_zone: str,
) -> list[schemas.Assignment]:
    of_structure = _Presenter(session, structure, organization_zone)
    paused = repository.latest_pauses(
        session, structure.organization_id, [row.creator_id for row in rows]
    )
    return [of_structure.present(row, paused.get(row.creator_id)) for row in rows]


class _Presenter:
    """Presents assignments of one structure: holds its timezone, current day and version."""

    def __init__(
        self, session: Session, structure: PayoutStructure, organization_zone: str
    ) -> None:
        self._zone = zone_of(structure, organization_zone)
        self._today = today_of(session, structure, organization_zone)
        current = current_versions(session, structure.organization_id, [structure.id])
        self._version = current[structure.id]

    def present(self, row: PayoutAssignment, pause: PayoutPause | None) -> schemas.Assignment:
        if is_over(row, self._today):
            return _present(row, "ended", ended_at=row.ended_at or self._end_of(row.end_date))
        if pause is None:
            return _present(row, "active")
        resumes = repository.resume_day(pause, self._version, self._zone)
        if resumes is None:
            return _present(row, "paused", paused_at=pause.paused_at)
        if resumes <= self._today:
            return _present(row, "active")
        resumes_at = start_of(resumes, self._zone)
        return _present(row, "paused", paused_at=pause.paused_at, resumes_at=resumes_at)

    def _end_of(self, last_day: date | None) -> datetime | None:
        return None if last_day is None else start_of(last_day + ONE_DAY, self._zone)


def _present(
    row: PayoutAssignment,
    status: Status,
    *,
    paused_at: datetime | None = None,
    resumes_at: datetime | None = None,
    ended_at: datetime | None = None,
) -> schemas.Assignment:
    return from_row(
        schemas.Assignment,
        row,
        status=status,
        paused_at=paused_at,
        resumes_at=resumes_at,
        ended_at=ended_at,
    )


def list_assignments(
    context: RequestContext,
    structure_id: UUID,
    query: schemas.AssignmentQuery,
    *,
    current_only: bool = False,
) -> Page[schemas.Assignment]:
    """Return a page of a structure's assignments, newest first. Raises NotFound."""
    structure = structures.require(context, structure_id)
    statement = repository.of_structure(structure)
    if query.creator_id is not None:
        statement = statement.where(PayoutAssignment.creator_id == query.creator_id)
    if current_only:
        today = today_of(context.session, structure, context.caller.analytics_tz)
        statement = statement.where(repository.is_current(today))
    keyset = repository.NEWEST_FIRST.of(structure_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(
        lambda rows: present(context.session, structure, rows, context.caller.analytics_tz)
    )


def counts_open(context: RequestContext, structure_ids: Collection[UUID]) -> Mapping[UUID, int]:
    """Return how many creators structures pay today or later; structures without any are left out.

    Days are in the organization's timezone.
    """
    today = context.today
    return repository.count_open(context.session, context.organization_id, structure_ids, today)


def list_of_creator(
    context: RequestContext, creator_id: UUID
) -> list[tuple[PayoutStructure, schemas.Assignment]]:
    """Return a creator's assignments with their structures, the latest first, without bonuses.

    Raises NotFound.
    """
    creator = require_own(context, Creator, creator_id, "Creator")
    statement = repository.of_creator(creator).where(bonus_day().is_(None))
    rows = context.session.execute(statement).all()
    zone = context.caller.analytics_tz
    listed = [
        (structure, present(context.session, structure, [row], zone)[0]) for row, structure in rows
    ]
    return sorted(listed, key=lambda each: each[1].start_date, reverse=True)


def assigned_among(
    context: RequestContext, structure_id: UUID, creator_ids: Collection[UUID]
) -> Mapping[UUID, tuple[date, date | None]]:
    """Return by creator the dates of the first assignment with a day after today.

    Raises NotFound.
    """
    structure = structures.require(context, structure_id)
    today = today_of(context.session, structure, context.caller.analytics_tz)
    return repository.days_after(context.session, structure, creator_ids, today)


def assign(
    context: WriteContext, structure_id: UUID, body: schemas.NewAssignments
) -> list[schemas.Assignment]:
    """Assign creators of the project, each once. Either all are assigned or none.

    Raises NotFound, CreatorInactive, AlreadyAssigned, BudgetExceeded, InvalidBody for an end
    before the start, and Conflict for an archived structure.
    """
    structure = structures.lock_structure(context, structure_id)
    if not structure.is_active:
        raise Conflict("The payout structure is archived", reason="structure_archived")
    start = body.start_date or today_of(context.session, structure, context.caller.analytics_tz)
    if body.end_date is not None and body.end_date < start:
        raise InvalidBody.at("end_date", f"must not be earlier than start_date ({start})")
    creator_ids = list(dict.fromkeys(body.creator_ids))
    _require_creators(context.session, structure, creator_ids)
    _require_unassigned(context.session, structure, creator_ids, start)
    require_budget(context, structure, creator_ids)
    rows = [_row(structure, creator, start, body.end_date) for creator in creator_ids]
    context.session.add_all(rows)
    context.session.flush()
    return present(context.session, structure, rows, context.caller.analytics_tz)


def end(context: WriteContext, structure_id: UUID, body: schemas.Endings) -> schemas.Ended:
    """End assignments of creators with a last day. Either all end or none.

    Without a last day it is today, and assignments that begin later are cancelled. Raises
    NotFound, and InvalidBody for a day before an assignment starts.
    """
    structure = structures.lock_structure(context, structure_id)
    today = today_of(context.session, structure, context.caller.analytics_tz)
    last_day = body.end_date or today
    assigned = repository.lock_covering(
        context.session, structure, min(last_day, today), creator_ids=body.creator_ids
    )
    if body.end_date is not None:
        _require_begun(assigned, body.end_date)
    for assignment in assigned:
        repository.end(context.session, assignment, last_day, today)
    named = list(dict.fromkeys(body.creator_ids))
    ended = {assignment.creator_id for assignment in assigned}
    return schemas.Ended(
        ended=len(ended), not_assigned_ids=[each for each in named if each not in ended]
    )


def _require_creators(
    session: WriteSession, structure: PayoutStructure, creator_ids: Collection[UUID]
) -> None:
    creators = repository.hold_creators(session, structure, creator_ids)
    if missing := [str(each) for each in creator_ids if each not in creators]:
        raise NotFound("Creators not found in this project", not_found_ids=[*missing])
    removed = [str(each) for each in creator_ids if not creators[each].is_active]
    if removed:
        raise CreatorInactive(creator_ids=[*removed])


def _require_unassigned(
    session: WriteSession, structure: PayoutStructure, creator_ids: Collection[UUID], start: date
) -> None:
    """Raise AlreadyAssigned if another assignment covers a day after `start` (money.md M5)."""
    covering = repository.days_after(session, structure, creator_ids, start)
    if covering:
        raise AlreadyAssigned(each for each in creator_ids if each in covering)


def _require_begun(assigned: Sequence[PayoutAssignment], last_day: date) -> None:
    later = sorted({row.start_date for row in assigned if row.start_date > last_day})
    if later:
        raise InvalidBody.at(
            "end_date", f"must not be earlier than the start_date of an assignment ({later[-1]})"
        )


def _row(
    structure: PayoutStructure, creator_id: UUID, start: date, end_date: date | None
) -> PayoutAssignment:
    return PayoutAssignment(
        organization_id=structure.organization_id,
        structure_id=structure.id,
        creator_id=creator_id,
        start_date=start,
        end_date=end_date,
    )
