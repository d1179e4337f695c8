"""Accruals sorted by amount, for pages."""

from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals import presenter, schemas
from serving_api.resources.payouts.accruals.current import accruals_now
from serving_api.resources.payouts.accruals.service import filter_of
from warehouse.reading.accruals.listing import list_by_amount, total_cents


def read_by_amount(
    context: RequestContext, query: schemas.AccrualQuery, *, largest_first: bool, offset: int
) -> schemas.AccrualPage:
    """Return one page of accruals sorted by amount, skipping the first `offset`."""
    filters = filter_of(context.caller, query)
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        newer, cursor = accruals.newer(), accruals.cursor
        listed = (
            list_by_amount(
                cursor,
                filters,
                newer,
                largest_first=largest_first,
                limit=query.limit + 1,
                offset=offset,
            )
            if cursor
            else []
        )
        meta = schemas.AccrualsMeta(
            total_cents=total_cents(cursor, filters, newer) if cursor else 0,
            hasMore=len(listed) > query.limit,
            nextCursor=None,
        )
        data = presenter.present(accruals, listed[: query.limit])
        return schemas.AccrualPage(data=data, meta=meta)
