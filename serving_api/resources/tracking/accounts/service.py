"""Read, add, change and remove accounts."""

from datetime import date
from functools import partial
from uuid import UUID

from scrapers.urls import ShortLinks
from serving_api.connect_page.service import disconnect_after
from serving_api.errors import CreatorInactive, HandleInUse, InvalidBody, InvalidRequest, NotFound
from serving_api.kit.counters import coverage_of
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import PageQuery, read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import lock_own, require_own
from serving_api.resources.organization import organizations
from serving_api.resources.programs.tags.items import labels_of
from serving_api.resources.tracking import scrape_jobs
from serving_api.resources.tracking.accounts import (
    owned_videos,
    presenter,
    repository,
    requests,
    schemas,
    tracking,
)
from serving_api.resources.tracking.accounts.requests import AccountRequest
from serving_api.resources.tracking.accounts.schemas import AccountChanges
from serving_api.resources.tracking.connections.service import end_with_handle
from warehouse.connections import rows as connections
from warehouse.operational.models import Account, Creator
from warehouse.operational.session import WriteSession

_AS_SENT = (
    "tracking_mode",
    "tracking_hashtags",
    "hashtag_inbox_non_matching",
    "tracking_start_date",
    "tracking_end_date",
)

Window = tuple[date | None, date | None]


def change_tracking(account: Account, changes: AccountChanges) -> None:
    """Apply changes to an account's tracking. Raises InvalidBody.

    Posts outside the tracking window were never recorded: if it grows, the next discovery searches
    the whole history for them.
    """
    before = _window(account)
    changes.apply_to(account, *_AS_SENT)
    if account.tracking_mode == "hashtag" and not account.tracking_hashtags:
        raise InvalidBody.at("tracking_hashtags", "must not be empty in mode 'hashtag'")
    start, end = _window(account)
    if start and end and end < start:
        raise InvalidBody.at("tracking_end_date", f"must not be before {start}")
    if _grew(before, (start, end)):
        account.discover_again()


def _window(account: Account) -> Window:
    return account.tracking_start_date, account.tracking_end_date


def _grew(before: Window, after: Window) -> bool:
    starts_earlier = (after[0] or date.min) < (before[0] or date.min)
    ends_later = (after[1] or date.max) > (before[1] or date.max)
    return starts_earlier or ends_later


def list_accounts(context: RequestContext, query: schemas.AccountQuery) -> Page[schemas.Account]:
    """Return a page of the organization's accounts, newest first."""
    statement = repository.filtered(context.session, context.organization_id, query)
    keyset = repository.NEWEST_FIRST.of(context.organization_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(partial(presenter.present, context))


def list_of_creator(
    context: RequestContext, creator_id: UUID, query: PageQuery
) -> Page[schemas.Account]:
    """Return a page of a creator's accounts, oldest first. Raises NotFound."""
    require_own(context, Creator, creator_id, "Creator")
    statement = repository.present_of_creator(context.organization_id, creator_id)
    keyset = repository.OF_CREATOR.of(creator_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(partial(presenter.present, context))


def read_account(context: RequestContext, account_id: UUID) -> schemas.AccountDetail:
    """Return one account, removed or not. Raises NotFound."""
    account = require_own(context, Account, account_id, "Account")
    still = owned_videos.video_counts(context, [account_id])
    connected = connections.of_accounts(context.session, context.organization_id, [account_id])
    counts = presenter.counts_of(context.marts, context.organization_id, [account])
    labels = labels_of(context.session, context.organization_id, [account.id])
    connection = connected.get(account_id)
    covered = coverage_of(context.marts, context.organization_id, account_id)
    return presenter.present_detail(account, counts, labels, still, connection, covered=covered)


def add_account(
    context: WriteContext, links: ShortLinks, *, creator_id: UUID, body: schemas.NewAccount
) -> schemas.Account:
    """Add an account to a creator (contract, Accounts).

    Raises InvalidAccount, NotFound, CreatorInactive, AlreadyTracked, CreatorBanned and, unless the
    creator is deactivated, LimitReached.
    """
    account_request = AccountRequest(
        body, requests.checked_handle(body.platform, body.handle, links)
    )
    organizations.lock(context.session, context.organization_id)
    creator = lock_own(context, Creator, creator_id, "Creator")
    if not creator.is_active:
        raise CreatorInactive
    requests.unavailable_among(context, creator.project_id, [account_request]).hold(
        [account_request]
    )
    if creator.deactivated_at is None:
        tracking.room_for_accounts(context).reserve(1)
    account = tracking.new_account(context, creator, account_request)
    tracking.track(context, creator, account)
    return presenter.present(context, [account])[0]


def change_account(
    context: WriteContext, links: ShortLinks, *, account_id: UUID, changes: schemas.AccountChanges
) -> schemas.Account:
    """Change how an account is tracked, or its handle, which is then looked up again.

    Raises InvalidAccount, InvalidBody, NotFound and HandleInUse.
    """
    account = lock_own(context, Account, account_id, "Account", Account.is_active)
    handle = account.handle
    if changes.sends("handle"):
        handle = requests.checked_handle(account.platform, changes.handle, links)
    change_tracking(account, changes)
    if handle != account.handle:
        _change_handle(context.session, account, handle)
    context.session.flush()
    return presenter.present(context, [account])[0]


def remove_account(context: WriteContext, account_id: UUID) -> None:
    """Stop tracking an account permanently; its history and videos stay. Raises NotFound."""
    account = lock_own(context, Account, account_id, "Account", Account.is_active)
    account.is_active = False
    account.removed_at = context.now
    disconnect_after(context.session)


def scrape_account(
    context: WriteContext, account_id: UUID, request: schemas.ScrapeRequest
) -> schemas.AccountScrape:
    """Queue a scrape of an account. Raises NotFound, InvalidRequest and RateLimitExceeded."""
    account = require_own(context, Account, account_id, "Account")
    if not account.is_active:
        raise NotFound.named("Account")
    if account.deactivated_at is not None:
        raise InvalidRequest("The account is deactivated. Reactivate it to scrape it.")
    job = scrape_jobs.request_scrape(context, job_type=request.job_type, account=account)
    return schemas.AccountScrape(job_type=request.job_type, account_id=account.id, job_id=job.id)


def _change_handle(session: WriteSession, account: Account, handle: str) -> None:
    """Change the account's handle; its platform ids and posts are fetched again.

    Posts added by URLs with the handle, and without an owner, become the account's.
    """
    with session.no_autoflush:
        if repository.has_handle(session, account, handle):
            raise HandleInUse
    end_with_handle(session, account.organization_id, account.id)
    account.handle = handle
    account.platform_user_id = account.platform_alt_id = None
    account.discover_again()
    session.flush()
    tracking.transfer_owners(session, [account])
    if account.deactivated_at is None:
        tracking.queue_first_fetches(session, [account])
