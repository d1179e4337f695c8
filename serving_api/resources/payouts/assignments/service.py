"""What may happen to assignments of a structure. How they end is told in `ending`.

The structure is held by whoever assigns or ends, so that two cannot assign the same creator; then
the creators are, so that none is removed meanwhile.
"""

from collections.abc import Collection, Sequence
from datetime import date
from uuid import UUID

from serving_api.errors import AlreadyAssigned, Conflict, CreatorInactive, InvalidBody, NotFound
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.resources.payouts.assignments import ending, presenter, repository, schemas
from serving_api.resources.payouts.budgets.stopping import require_budget
from serving_api.resources.payouts.structures import service as structures
from serving_api.resources.payouts.structures.zones import today_of
from warehouse.operational.models import PayoutAssignment, PayoutStructure
from warehouse.operational.session import WriteSession


def list_assignments(
    context: RequestContext, structure_id: UUID, query: schemas.AssignmentQuery
) -> Page[schemas.Assignment]:
    """Return a page of a structure's assignments, newest first, ended ones too. Raises NotFound."""
    structure = structures.require(context, structure_id)
    statement = repository.of_structure(structure)
    if query.creator_id is not None:
        statement = statement.where(PayoutAssignment.creator_id == query.creator_id)
    keyset = repository.NEWEST_FIRST.of(structure_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(
        lambda rows: presenter.present(
            context.session, structure, rows, context.caller.analytics_tz
        )
    )


def assigned_among(
    context: RequestContext, structure_id: UUID, creator_ids: Collection[UUID]
) -> frozenset[UUID]:
    """Return those of the creators who are assigned for later than today. Raises NotFound."""
    structure = structures.require(context, structure_id)
    today = today_of(context.session, structure, context.caller.analytics_tz)
    return repository.covering_after(context.session, structure, creator_ids, today)


def assign(
    context: WriteContext, structure_id: UUID, body: schemas.NewAssignments
) -> list[schemas.Assignment]:
    """Assign creators of the project, each once, all of them or none.

    Raises NotFound, CreatorInactive, AlreadyAssigned, BudgetExceeded, InvalidBody for an end before
    the start, and Conflict for an archived structure.
    """
    structure = structures.held(context, structure_id)
    if not structure.is_active:
        raise Conflict("The payout structure is archived", reason="structure_archived")
    start = body.start_date or today_of(context.session, structure, context.caller.analytics_tz)
    if body.end_date is not None and body.end_date < start:
        raise InvalidBody.at("end_date", f"must not be earlier than start_date, {start}")
    creator_ids = list(dict.fromkeys(body.creator_ids))
    _require_creators(context.session, structure, creator_ids)
    _require_unassigned(context.session, structure, creator_ids, start)
    require_budget(context, structure, creator_ids)
    rows = [_row(structure, creator, start, body.end_date) for creator in creator_ids]
    context.session.add_all(rows)
    context.session.flush()
    return presenter.present(context.session, structure, rows, context.caller.analytics_tz)


def end(context: WriteContext, structure_id: UUID, body: schemas.Endings) -> schemas.Ended:
    """End the assignments of creators with a last day, all of them or none.

    Without one it is today, and assignments that would begin later are cancelled. Raises NotFound,
    and InvalidBody for a day before the start of an assignment.
    """
    structure = structures.held(context, structure_id)
    today = today_of(context.session, structure, context.caller.analytics_tz)
    last_day = body.end_date or today
    assigned = repository.lock_covering(
        context.session, structure, min(last_day, today), creator_ids=body.creator_ids
    )
    if body.end_date is not None:
        _require_begun(assigned, body.end_date)
    for assignment in assigned:
        ending.end(context.session, assignment, last_day, today)
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
        raise NotFound("The project has no such creator", not_found_ids=[*missing])
    removed = [str(each) for each in creator_ids if not creators[each].is_active]
    if removed:
        raise CreatorInactive(creator_ids=[*removed])


def _require_unassigned(
    session: WriteSession, structure: PayoutStructure, creator_ids: Collection[UUID], start: date
) -> None:
    """Raise AlreadyAssigned where another assignment covers a day after `start` (money.md M5)."""
    taken = repository.covering_after(session, structure, creator_ids, start)
    if taken:
        raise AlreadyAssigned(each for each in creator_ids if each in taken)


def _require_begun(assigned: Sequence[PayoutAssignment], last_day: date) -> None:
    later = sorted({row.start_date for row in assigned if row.start_date > last_day})
    if later:
        raise InvalidBody.at("end_date", f"must not be earlier than a start_date, {later[-1]}")


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
