"""`/accounts` and `/creators/{creator_id}/accounts`."""

from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

from fastapi import Body

from scrapers.urls import ShortLinks
from serving_api.auth.dependencies import AdminWriter, Reader, Writer
from serving_api.errors import (
    AlreadyTracked,
    CreatorBanned,
    CreatorInactive,
    HandleInUse,
    InvalidAccount,
    InvalidQuery,
    InvalidRequest,
    LimitReached,
    RetentionExceeded,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.http.short_links import links_in
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.cursor import SEAL, BegunCursor
from serving_api.kit.days import day_range, require_retained, today_in
from serving_api.kit.envelope import Deleted, Envelope, Page, PageMeta
from serving_api.kit.pagination import PageQuery
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import require_own
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.tracking.accounts import schemas, service
from warehouse.operational.base import business_time
from warehouse.operational.models import Account
from warehouse.reading.accounts import account_history

MOMENT = timedelta(microseconds=1)
"""Readings have a resolution of one microsecond; an account has one reading at each instant."""


def _instants(context: RequestContext, query: schemas.StatsQuery) -> tuple[datetime, datetime]:
    zone = context.caller.analytics_tz
    today = today_in(zone, context.now)
    days = day_range(query, zone=zone, today=today, refusal=InvalidQuery)
    require_retained(days.from_day, today=today, retention=context.caller.plan.tier_retention_days)
    return days.instants()


router = keyed_router("accounts")

Links = Annotated[ShortLinks, links_in("handle")]


@router.get("/accounts")
def list_accounts(*, context: Reader, query: Params[schemas.AccountQuery]) -> Page[schemas.Account]:
    """List accounts.

    The newest comes first. `status` selects deactivated ones; removed ones are left out.
    For `updated_since`, changes of tags do not count.
    """
    return service.list_accounts(context, query)


@router.get("/creators/{creator_id}/accounts")
def list_creator_accounts(
    *, context: Reader, creator_id: UUID, query: Params[PageQuery]
) -> Page[schemas.Account]:
    """List a creator's accounts. The oldest comes first."""
    return service.list_of_creator(context, creator_id, query)


@router.post(
    "/creators/{creator_id}/accounts",
    status_code=201,
    responses=answers(AlreadyTracked, CreatorBanned, CreatorInactive, InvalidAccount, LimitReached),
)
@idempotent()
def add_creator_account(
    *, links: Links, context: Writer, creator_id: UUID, body: schemas.NewAccount
) -> Envelope[schemas.Account]:
    """Add an account to a creator. Its profile and posts are scraped soon after."""
    account = service.add_account(context, links, creator_id=creator_id, body=body)
    return Envelope(data=account)


@router.get("/accounts/{account_id}")
def get_account(*, context: Reader, account_id: UUID) -> Envelope[schemas.AccountDetail]:
    """Return one account, including a removed one."""
    return Envelope(data=service.read_account(context, account_id))


@router.get("/accounts/{account_id}/stats", responses=answers(RetentionExceeded))
def get_account_stats(
    *, context: Reader, account_id: UUID, query: Params[schemas.StatsQuery]
) -> Page[schemas.AccountStats]:
    """List an account's counters over time, by default for the last 30 days.

    The oldest comes first.
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


@router.patch("/accounts/{account_id}", responses=answers(HandleInUse, InvalidAccount))
def change_account(
    *, links: Links, context: Writer, account_id: UUID, changes: schemas.AccountChanges
) -> Envelope[schemas.Account]:
    """Change an account's handle or tracking. A new handle is scraped again."""
    account = service.change_account(context, links, account_id=account_id, changes=changes)
    return Envelope(data=account)


@router.delete("/accounts/{account_id}")
def remove_account(*, context: AdminWriter, account_id: UUID) -> Envelope[Deleted]:
    """Stop tracking an account permanently. Its history and videos are kept."""
    service.remove_account(context, account_id)
    return Envelope(data=Deleted())


@router.post("/accounts/{account_id}/scrape", responses=answers(InvalidRequest))
@idempotent()
def scrape_account(
    *,
    context: AdminWriter,
    account_id: UUID,
    request: Annotated[schemas.ScrapeRequest | None, Body()] = None,
) -> Envelope[schemas.AccountScrape]:
    """Queue a scrape of an account now. Counts against a daily quota."""
    body = request or schemas.ScrapeRequest()
    return Envelope(data=service.scrape_account(context, account_id, body))
