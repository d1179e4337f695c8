"""List accruals, explain them, and decide about them (money.md M17, M19)."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, time
from decimal import Decimal
from uuid import UUID

from serving_api.errors import AccrualOpen, AccrualPaid, Conflict, InvalidBody, InvalidQuery
from serving_api.kit.cursor import SEAL, Cursor, RankedCursor, Seal
from serving_api.kit.days import require_order
from serving_api.kit.principals import Principal
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.resources.payouts.accruals import presenter, repository, schemas
from serving_api.resources.payouts.accruals.changes import with_reason
from serving_api.resources.payouts.accruals.current import Accruals, accruals_now
from serving_api.resources.payouts.accruals.evidence import (
    Evidence,
    explain,
    find_explained,
    with_evidence,
)
from serving_api.resources.payouts.accruals.evidence_lists import (
    items_after,
    length_of,
    position_in,
)
from serving_api.resources.payouts.accruals.holds import (
    hold_of,
    odd_behind_any,
    require_unheld,
    subjects_on_hold,
)
from serving_api.resources.payouts.accruals.presenter import statement_of
from serving_api.resources.tracking.creators import repository as creators
from warehouse.operational.base import business_now
from warehouse.operational.models import PayoutAccrualDecision
from warehouse.reading.accruals.accrual import CONTENT, Accrual
from warehouse.reading.accruals.listing import (
    AccrualFilter,
    ListPosition,
    list_accruals,
    total_cents,
)


def list_page(
    context: RequestContext, query: schemas.AccrualQuery, *, in_payment: bool | None = None
) -> schemas.AccrualPage:
    """Return a page of accruals, the latest period first. Raises InvalidQuery, InvalidCursor.

    `in_payment` filters by whether a pending or paid payment contains them.
    """
    with _listed(context, query, in_payment) as (accruals, listed, meta):
        return schemas.AccrualPage(data=presenter.present(accruals, listed), meta=meta)


def list_latest(
    context: RequestContext,
    query: schemas.AccrualQuery,
    creator_ids: Collection[UUID] = (),
    limit: int | None = None,
) -> list[schemas.Accrual]:
    """Return the first accruals of `list_page`, `limit` or one page, without summing all pages.

    With `creator_ids`, only of these creators.
    """
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        filters = _build_filters(accruals, context.caller, query)
        if creator_ids:
            filters = replace(filters, creator_ids=",".join(map(str, creator_ids)))
        most = limit or query.limit
        listed = _page(accruals, filters, None, most)[:most]
        return presenter.present(accruals, listed)


def total(context: RequestContext, query: schemas.AccrualQuery) -> int:
    """Return the sum of all pages in cents; void accruals count 0."""
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        return _total(accruals, _build_filters(accruals, context.caller, query))


@contextmanager
def _listed(
    context: RequestContext, query: schemas.AccrualQuery, in_payment: bool | None = None
) -> Iterator[tuple[Accruals, Sequence[Accrual], schemas.AccrualsMeta]]:
    require_order(query.from_day, query.to_day, InvalidQuery)
    seal: Seal = context.session.info[SEAL]
    listing = f"payout-accruals/{context.organization_id}"
    after = position_of(query.cursor, listing, seal)
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        filters = replace(_build_filters(accruals, context.caller, query), in_payment=in_payment)
        with_next = _page(accruals, filters, after, query.limit)
        listed = with_next[: query.limit]
        has_more = len(with_next) > query.limit
        following = cursor_of(ListPosition.of(listed[-1]), listing, seal) if has_more else None
        cents = _total(accruals, filters)
        meta = schemas.AccrualsMeta(total_cents=cents, hasMore=has_more, nextCursor=following)
        yield accruals, listed, meta


def _build_filters(
    accruals: Accruals, caller: Principal, query: schemas.AccrualQuery
) -> AccrualFilter:
    filters = filter_of(caller, query)
    if query.held is None:
        return filters
    held = ",".join(map(str, subjects_on_hold(accruals)))
    return replace(filters, is_on_hold=query.held, on_hold_ids=held or None)


def _total(accruals: Accruals, filters: AccrualFilter) -> int:
    if accruals.cursor is None:
        return 0
    return total_cents(accruals.cursor, filters, accruals.newer())


def _page(
    accruals: Accruals, filters: AccrualFilter, after: ListPosition | None, limit: int
) -> list[Accrual]:
    """Return up to `limit` + 1 accruals."""
    if accruals.cursor is None:
        return []
    newer = accruals.newer()
    return list_accruals(accruals.cursor, filters, newer, after=after, limit=limit + 1)


def filter_of(caller: Principal, query: schemas.AccrualQuery) -> AccrualFilter:
    return AccrualFilter(
        organization_id=caller.organization_id,
        project_id=query.project_id,
        creator_id=query.creator_id,
        structure_id=query.structure_id,
        status=query.status,
        from_day=query.from_day,
        to_day=query.to_day,
    )


def position_of(cursor: str | None, listing: str, seal: Seal) -> ListPosition | None:
    """Return a cursor's position, or None for the first page. Raises InvalidCursor."""
    if cursor is None:
        return None
    decoded = Cursor.decode(cursor, listing, seal)
    return ListPosition(decoded.at.date(), decoded.id)


def cursor_of(position: ListPosition, listing: str, seal: Seal) -> str:
    at = datetime.combine(position.period_end, time(), UTC)
    return Cursor(at, position.accrual_id).encode(listing, seal)


def read_accrual(context: RequestContext, accrual_id: UUID) -> schemas.AccrualDetail:
    """Return one accrual with its evidence. Raises NotFound."""
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        return presenter.present_detail(accruals, find_explained(accruals, accrual_id))


def read_checked(
    context: RequestContext, accrual_id: UUID
) -> tuple[schemas.AccrualDetail, schemas.Hold | None]:
    """Return one accrual and the hold that a release would lift. Raises NotFound.

    The hold lists the accrual's anomalies or, in a payment, those found later.
    """
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        explained = find_explained(accruals, accrual_id)
        readings = explained.waits_for or odd_behind_any(accruals, explained.accrual)
        check = hold_of(readings) if readings else None
        return presenter.present_detail(accruals, explained), check


def read_statement(context: RequestContext, accrual_id: UUID) -> schemas.SignedStatement:
    """Return the signed statement of one accrual. Raises NotFound."""
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        return statement_of(accruals, context.services, find_explained(accruals, accrual_id))


def read_evidence(
    context: RequestContext, accrual_id: UUID, query: schemas.EvidenceQuery
) -> schemas.EvidencePage:
    """Return a page of a list in an accrual's evidence. Raises NotFound, InvalidCursor."""
    seal: Seal = context.session.info[SEAL]
    listing = f"payout-evidence/{accrual_id}/{query.listed}"
    after = RankedCursor.decode(query.cursor, listing, seal) if query.cursor is not None else None
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        _, evidence = with_evidence(accruals, accrual_id)
    items = items_after(evidence, query.listed, after)
    page_items = items[: query.limit]
    has_more = len(items) > len(page_items)
    following = (
        position_in(query.listed, page_items[-1]).encode(listing, seal) if has_more else None
    )
    return schemas.EvidencePage(
        data=page_items,
        meta=schemas.EvidenceMeta(
            total=length_of(evidence, query.listed),
            hasMore=following is not None,
            nextCursor=following,
        ),
    )


def decide(
    context: WriteContext,
    accrual_id: UUID,
    decision: schemas.AccrualDecision,
    *,
    expected: str | None = None,
) -> schemas.AccrualDetail:
    """Approve or void an accrual, undo that, or set its note.

    Raises NotFound, AccrualPaid for an accrual in a payment, AccrualOpen, and AccrualHeld for
    approving a held one. Raises InvalidBody if the sent amount differs, and Conflict if its status
    is neither `expected` nor the new one.
    """
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        known, _ = with_evidence(accruals, accrual_id)
        # The lock serializes payments of a creator and decisions about its accruals.
        creators.lock(context.session, context.organization_id, known.accrual.creator_id)
        known, evidence = with_evidence(accruals, accrual_id)
        _require_decidable(accruals, known.accrual, decision)
        if expected and known.accrual.status not in {expected, decision.status}:
            raise Conflict(
                "This accrual changed in the meantime. Nothing was saved; reload and try again."
            )
        _write(context, known.accrual, evidence, decision)
        decided = _decided(accruals, known.accrual)
        [explained] = explain(accruals, [decided], {accrual_id: evidence})
        return presenter.present_detail(accruals, explained)


def _decided(accruals: Accruals, accrual: Accrual) -> Accrual:
    """Return the accrual after a decision.

    An adjustment that is no longer void may have nothing left to correct.
    """
    known = accruals.find([accrual.accrual_id])
    if accrual.accrual_id in known:
        return known[accrual.accrual_id].accrual
    return replace(accrual, status="final", amount_cents=0, precise_amount=Decimal(0))


def _require_decidable(
    accruals: Accruals, accrual: Accrual, decision: schemas.AccrualDecision
) -> None:
    if accrual.payment_id is not None:
        raise AccrualPaid([accrual.accrual_id])
    if accrual.status == "open" and decision.sends("status"):
        raise AccrualOpen([accrual.accrual_id])
    if decision.sends("status") and decision.status == "approved":
        require_unheld(accruals, [accrual])
    if decision.sends("amount_cents") and decision.amount_cents != accrual.amount_cents:
        raise InvalidBody.at("amount_cents", f"the accrual is now {accrual.amount_cents} cents")


def _write(
    context: WriteContext, accrual: Accrual, evidence: Evidence, decision: schemas.AccrualDecision
) -> None:
    """Store the decision with the accrual as it is now; fields that were not sent stay."""
    row = repository.find_decision(context.session, context.organization_id, accrual.accrual_id)
    if row is None:
        row = PayoutAccrualDecision(accrual_id=accrual.accrual_id, decision=None, note=None)
        _copy(accrual, evidence, row)
    if decision.sends("status"):
        row.decision = None if decision.status == "final" else decision.status
        _copy(accrual, evidence, row)
    if decision.sends("note"):
        row.note = decision.note
    row.decided_at = business_now(context.session)
    row.decided_by = context.caller.user_id
    context.session.add(row)
    context.session.flush()


def _copy(accrual: Accrual, evidence: Evidence, row: PayoutAccrualDecision) -> None:
    content = with_reason(accrual, evidence)
    for name in CONTENT:
        setattr(row, name, getattr(content, name))
    row.evidence = evidence
