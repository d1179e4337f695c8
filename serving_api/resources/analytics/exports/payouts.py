"""Accruals as a dataset, and the tracker: what every creator is owed and was paid."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session

from serving_api.errors import InvalidQuery
from serving_api.kit.cursor import SEAL
from serving_api.kit.days import require_order
from serving_api.kit.principals import Principal
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import rows_of
from serving_api.resources.analytics.exports.columns import columns_of, row_of
from serving_api.resources.analytics.exports.dataset import (
    Export,
    ExportQuery,
    Source,
    require_scope,
)
from serving_api.resources.analytics.exports.lists import CHUNK
from serving_api.resources.payouts.accruals import presenter
from serving_api.resources.payouts.accruals.current import Accruals, accruals_now
from serving_api.resources.payouts.accruals.listing import cursor_of, position_of
from serving_api.resources.payouts.accruals.schemas import Accrual
from serving_api.resources.payouts.balance import Balance, balances
from serving_api.resources.tracking.accounts import repository as accounts
from serving_api.resources.tracking.creators.repository import primary
from warehouse.operational import models
from warehouse.operational.campaign_reach import has_creator
from warehouse.reading.accruals.listing import (
    AccrualFilter,
    ListPosition,
    last_position,
    list_accruals,
)
from warehouse.reading.accruals.newer import Newer

COLUMNS = columns_of(Accrual)
NO_CREATOR = UUID(int=0)


class Person(BaseModel):
    """The creator of a balance."""

    creator_id: UUID
    handle: str | None
    display_name: str | None
    project_id: UUID


class Tracked(Balance, Person):
    """A creator and its balance."""


class AccrualsDataset:
    """Accruals in the order of their list, the latest period first.

    Days are those of the period's end.
    """

    def export(self, source: Source, name: str, query: ExportQuery) -> Export:
        with source.sessions() as session:
            require_scope(session, source.caller.organization_id, query)
            filters = _build_filters(session, source.caller, query)
            seal, listing = session.info[SEAL], f"exports/{name}/{source.caller.organization_id}"
            start = position_of(query.cursor, listing, seal)
            with accruals_now(session, source.numbers, source.caller.organization_id) as now:
                newer = now.newer()
                last = _last_of_page(now, filters, start, query.limit)
        items = _items(source, filters, newer, start, last)
        return Export(
            [column.name for column in COLUMNS],
            (row_of(COLUMNS, item) for item in items),
            cursor_of(last, listing, seal) if last else None,
        )


def _build_filters(session: Session, caller: Principal, query: ExportQuery) -> AccrualFilter:
    require_order(query.from_day, query.to_day, InvalidQuery)
    reached = None
    if query.campaign_id is not None:
        of_campaign = select(models.Creator.id).where(
            models.Creator.organization_id == caller.organization_id,
            has_creator(caller.organization_id, query.campaign_id),
        )
        reached = ",".join(map(str, session.scalars(of_campaign))) or str(NO_CREATOR)
    return AccrualFilter(
        organization_id=caller.organization_id,
        project_id=query.project_id,
        creator_ids=reached,
        from_day=query.from_day,
        to_day=query.to_day,
    )


def _last_of_page(
    now: Accruals, filters: AccrualFilter, after: ListPosition | None, limit: int
) -> ListPosition | None:
    """Return the position of the page's last row if another page follows."""
    if now.cursor is None:
        return None
    return last_position(now.cursor, filters, now.newer(), after=after, limit=limit)


def _items(
    source: Source,
    filters: AccrualFilter,
    newer: Newer,
    after: ListPosition | None,
    last: ListPosition | None,
) -> Iterator[Accrual]:
    """Yield the accruals between two positions, one chunk in memory at a time.

    They are as in `newer`, which determined the page.
    """
    with source.numbers.cursor() as cursor:
        while cursor is not None:
            chunk = list_accruals(cursor, filters, newer, after=after, until=last, limit=CHUNK)
            with (
                source.sessions() as session,
                accruals_now(session, source.numbers, filters.organization_id) as now,
            ):
                items = presenter.present(now, chunk)
            yield from items
            if len(chunk) < CHUNK:
                return
            after = ListPosition.of(chunk[-1])


def tracked_creators(
    _session: Session, organization_id: UUID, query: ExportQuery
) -> Select[models.Creator]:
    """Select the creators of the tracker: active ones, and removed ones that had payouts."""
    assigned = select(models.PayoutAssignment.id).where(
        models.PayoutAssignment.organization_id == organization_id,
        models.PayoutAssignment.creator_id == models.Creator.id,
    )
    paid = select(models.PayoutPayment.id).where(
        models.PayoutPayment.organization_id == organization_id,
        models.PayoutPayment.creator_id == models.Creator.id,
    )
    had_payouts = or_(models.Creator.is_active, assigned.exists(), paid.exists())
    rows = rows_of(models.Creator, organization_id).where(had_payouts)
    if query.project_id is not None:
        rows = rows.where(models.Creator.project_id == query.project_id)
    if query.campaign_id is not None:
        rows = rows.where(has_creator(organization_id, query.campaign_id))
    return rows


def present_tracked(context: RequestContext, rows: Sequence[models.Creator]) -> Sequence[Tracked]:
    session, organization_id = context.session, context.organization_id
    ids = [row.id for row in rows]
    with accruals_now(session, context.marts, organization_id) as accruals:
        balance_of = balances(accruals, ids)
    owned: dict[UUID, list[models.Account]] = {each: [] for each in ids}
    for account in accounts.present_of_creators(session, organization_id, ids):
        owned[account.creator_id].append(account)
    return [_tracked(row, owned[row.id], balance_of[row.id]) for row in rows]


def _tracked(row: models.Creator, owned: Sequence[models.Account], balance: Balance) -> Tracked:
    named_by = primary(owned)
    return Tracked(
        creator_id=row.id,
        handle=named_by.handle if named_by else None,
        display_name=row.display_name,
        project_id=row.project_id,
        **dict(balance),
    )
