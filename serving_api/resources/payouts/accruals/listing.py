"""Lists of accruals, the latest period first or by amount, and their sums (money.md M17)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from typing import Any
from uuid import UUID

from serving_api.errors import InvalidQuery
from serving_api.kit.cursor import SEAL, Cursor, Seal
from serving_api.kit.days import require_order
from serving_api.kit.principals import Principal
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals import presenter, repository, schemas
from serving_api.resources.payouts.accruals.current import Accruals, accruals_now
from serving_api.resources.payouts.accruals.holds import subjects_on_hold
from warehouse.reading.accruals.accrual import Accrual
from warehouse.reading.accruals.listing import (
    ALL,
    AccrualFilter,
    ListPosition,
    Subtotal,
    Subtotals,
    list_accruals,
    list_sorted,
    subtotals,
    total_cents,
    views_paid,
)


def list_page(context: RequestContext, query: schemas.AccrualQuery) -> schemas.AccrualPage:
    """Return a page of accruals, the latest period first. Raises InvalidQuery, InvalidCursor."""
    require_order(query.from_day, query.to_day, InvalidQuery)
    seal: Seal = context.session.info[SEAL]
    listing = f"payout-accruals/{context.organization_id}"
    after = position_of(query.cursor, listing, seal)
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        filters = _build_filters(accruals, context.caller, query)
        with_next = _page(accruals, filters, after, query.limit)
        listed = with_next[: query.limit]
        has_more = len(with_next) > query.limit
        following = cursor_of(ListPosition.of(listed[-1]), listing, seal) if has_more else None
        cents = _total(accruals, filters)
        meta = schemas.AccrualsMeta(total_cents=cents, hasMore=has_more, nextCursor=following)
        return schemas.AccrualPage(data=presenter.present(accruals, listed), meta=meta)


def list_latest(
    context: RequestContext,
    query: schemas.AccrualQuery,
    creator_ids: Collection[UUID] | None = None,
    limit: int | None = None,
) -> list[schemas.Accrual]:
    """Return the first accruals of `list_page`, `limit` or one page, without summing all pages.

    With `creator_ids`, only of these creators.
    """
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        filters = _of_creators(_build_filters(accruals, context.caller, query), creator_ids)
        most = limit or query.limit
        listed = _page(accruals, filters, None, most)[:most]
        return presenter.present(accruals, listed)


def list_by_id(context: RequestContext, accrual_ids: Collection[UUID]) -> list[schemas.Accrual]:
    """Return the accruals with these ids, in their order; unknown ids are left out."""
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        known = accruals.find(accrual_ids)
        return presenter.present(accruals, [state.accrual for state in known.values()])


def list_unpaid(
    context: RequestContext,
    query: schemas.AccrualQuery,
    most: int,
    creator_ids: Collection[UUID] | None = None,
) -> tuple[list[schemas.Accrual], bool]:
    """Return `most` accruals that are in no payment, and whether there are more.

    The latest, and first the negative ones of their creators, up to half: otherwise a payment would
    pay what is to be taken back, and later ones would have nothing to take it from.
    """
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        filters = replace(_build_filters(accruals, context.caller, query), in_payment=False)
        filters = _of_creators(filters, creator_ids)
        listed = _page(accruals, filters, None, most)
        if len(listed) <= most:
            return presenter.present(accruals, listed), False
        creators = ",".join({str(accrual.creator_id) for accrual in listed})
        theirs = replace(filters, creator_ids=creators)
        negative = {
            accrual.accrual_id: accrual
            for accrual in _sorted(
                accruals, theirs, largest_first=False, limit=most // 2, offset=0
            )[0]
            if accrual.amount_cents < 0
        }
        others = [accrual for accrual in listed if accrual.accrual_id not in negative]
        return presenter.present(accruals, [*negative.values(), *others][:most]), True


@dataclass(frozen=True, slots=True)
class SortedAccruals:
    """A page of a sorted list, and views; by creator with their subtotals over all pages."""

    rows: Sequence[schemas.Accrual]
    has_more: bool
    subtotals: Mapping[UUID, Subtotal]
    views: Mapping[UUID, int]


def read_sorted(
    context: RequestContext,
    query: schemas.AccrualQuery,
    creator_ids: Collection[UUID] | None,
    *,
    largest_first: bool | None,
    offset: int,
    most_of_each: int = ALL,
) -> SortedAccruals:
    """Return one page of accruals by amount or, if None, by creator, skipping `offset`.

    By creator, of each the latest `most_of_each`.
    """
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        filters = _of_creators(_build_filters(accruals, context.caller, query), creator_ids)
        listed, sums = _sorted(
            accruals,
            filters,
            largest_first=largest_first,
            limit=query.limit + 1,
            offset=offset,
            most_of_each=most_of_each,
        )
        shown = listed[: query.limit]
        page = presenter.present(accruals, shown), len(listed) > query.limit
        if not shown:
            return SortedAccruals(*page, {}, {})
        ids = accruals.organization_id, tuple(row.id for row in page[0])
        published = accruals.numbers.cached(views_paid, ids, len) or ({}, None)
        frozen = repository.frozen_views(accruals.session, *ids)
        return SortedAccruals(*page, sums, {**published[0], **frozen})


def views_of(context: RequestContext, rows: Sequence[schemas.Accrual]) -> Mapping[UUID, int]:
    """Return the views that accruals count, for a file: a page's are cached."""
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        ids = accruals.organization_id, tuple(row.id for row in rows)
        published = views_paid(accruals.cursor, ids) if accruals.cursor else {}
        return {**published, **repository.frozen_views(accruals.session, *ids)}


def sums_by_status(
    context: RequestContext,
    query: schemas.AccrualQuery,
    creator_ids: Collection[UUID] | None = None,
) -> Subtotals:
    """Return number and sum of all pages by status."""
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        filters = _of_creators(_build_filters(accruals, context.caller, query), creator_ids)
        filters = replace(filters, on_hold_ids=_on_hold(accruals))
        if accruals.cursor is None or (filters.is_on_hold and filters.on_hold_ids is None):
            return Subtotals({}, {})
        return subtotals(accruals.cursor, filters, accruals.newer())


def total(
    context: RequestContext,
    query: schemas.AccrualQuery,
    creator_ids: Collection[UUID] | None = None,
) -> int:
    """Return the sum of all pages in cents; void accruals count 0."""
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        filters = _build_filters(accruals, context.caller, query)
        return _total(accruals, _of_creators(filters, creator_ids))


def _of_creators(filters: AccrualFilter, creator_ids: Collection[UUID] | None) -> AccrualFilter:
    if creator_ids is None:
        return filters
    return replace(filters, creator_ids=",".join(map(str, creator_ids)) or str(UUID(int=0)))


def _build_filters(
    accruals: Accruals, caller: Principal, query: schemas.AccrualQuery
) -> AccrualFilter:
    filters = filter_of(caller, query)
    if (since := query.updated_since) is not None:
        decided = repository.decided_at(accruals.session, accruals.organization_id, since)
        ids = ",".join(map(str, decided)) or None
        filters = replace(filters, updated_since=since, updated_ids=ids)
    if query.held is None:
        return filters
    return replace(filters, is_on_hold=query.held, on_hold_ids=_on_hold(accruals))


def _on_hold(accruals: Accruals) -> str | None:
    return ",".join(map(str, subjects_on_hold(accruals))) or None


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


def _sorted(
    accruals: Accruals, filters: AccrualFilter, **page: Any
) -> tuple[list[Accrual], Mapping[UUID, Subtotal]]:
    """Return accruals by amount or by creator, with its subtotals (`list_sorted`)."""
    if accruals.cursor is None:
        return [], {}
    return list_sorted(accruals.cursor, filters, accruals.newer(), **page)


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
