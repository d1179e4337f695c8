"""History of an account's counters by page (decisions.md, GET /accounts/{id}/stats)."""

from datetime import datetime, timedelta
from uuid import UUID

from serving_api.errors import InvalidQuery
from serving_api.kit.cursor import SEAL, BegunCursor
from serving_api.kit.days import day_range, today_in
from serving_api.kit.envelope import Page, PageMeta
from serving_api.kit.request_context import RequestContext
from serving_api.kit.retention import require_retained
from serving_api.kit.rows import require_own
from serving_api.resources.tracking.accounts import schemas
from warehouse.operational.base import business_now, business_time
from warehouse.operational.models import Account
from warehouse.reading.accounts import account_history

MOMENT = timedelta(microseconds=1)
"""Readings have a resolution of one microsecond; an account has one reading at each instant."""


def read_stats(
    context: RequestContext, account_id: UUID, query: schemas.StatsQuery
) -> Page[schemas.AccountStats]:
    """Return a page of an account's readings, oldest first, also for a removed account.

    Raises NotFound, InvalidQuery, InvalidCursor and RetentionExceeded.
    """
    require_own(context, Account, account_id, "Account")
    listing, seal = f"account-stats/{account_id}", context.session.info[SEAL]
    begun = BegunCursor.decode(query.cursor, listing, seal) if query.cursor is not None else None
    with business_time(context.session, begun.begun_at if begun else None) as begun_at:
        begin, end = _instants(context, query)
    if begun is not None:
        begin = max(begin, begun.at + MOMENT)
    with context.marts.cursor() as cursor:
        history = cursor and account_history(
            cursor,
            organization_id=context.organization_id,
            account_id=account_id,
            from_instant=begin,
            to_instant=end,
            limit=query.limit + 1,
        )
    rows = (history or [])[: query.limit]
    following = None
    if history and len(history) > query.limit:
        position = BegunCursor(begun_at, 0, rows[-1].captured_at, account_id)
        following = position.encode(listing, seal)
    return Page(
        data=[schemas.AccountStats.model_validate(row, from_attributes=True) for row in rows],
        meta=PageMeta(hasMore=following is not None, nextCursor=following),
    )


def _instants(context: RequestContext, query: schemas.StatsQuery) -> tuple[datetime, datetime]:
    zone = context.caller.analytics_tz
    today = today_in(zone, business_now(context.session))
    days = day_range(query, zone=zone, today=today, refusal=InvalidQuery)
    require_retained(days.from_day, today=today, retention=context.caller.plan.tier_retention_days)
    return days.instants()
