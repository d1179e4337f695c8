"""What may happen to an account, and in which order it is decided."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from scrapers.urls import ShortLinks
from serving_api.connect_page.letting_go import let_go_after
from serving_api.errors import CreatorInactive, HandleTaken, InvalidRequest, NotFound
from serving_api.kit.envelope import Page
from serving_api.kit.errand import Errand, WriteErrand
from serving_api.kit.pagination import PageQuery, read_slice
from serving_api.kit.view_coverage import coverage_of
from serving_api.resources.organization import organizations
from serving_api.resources.programs.tags.labels import labels_of
from serving_api.resources.tracking import scrape_jobs
from serving_api.resources.tracking.accounts import (
    owned_videos,
    presenter,
    repository,
    schemas,
    tracking,
)
from serving_api.resources.tracking.accounts.configuration import change_tracking
from serving_api.resources.tracking.accounts.tracking import Wanted
from serving_api.resources.tracking.connections.service import end_with_handle
from serving_api.resources.tracking.creators import repository as creators
from warehouse.connections import rows as connections
from warehouse.operational.base import business_now
from warehouse.operational.models import Account
from warehouse.operational.session import WriteSession


def list_accounts(errand: Errand, query: schemas.AccountQuery) -> Page[schemas.Account]:
    """Return a page of the organization's accounts, newest first."""
    statement = repository.filtered(errand.session, errand.organization_id, query)
    keyset = repository.NEWEST_FIRST.of(errand.organization_id)
    return read_slice(errand.session, statement, keyset, query).page(_presenting(errand))


def list_of_creator(errand: Errand, creator_id: UUID, query: PageQuery) -> Page[schemas.Account]:
    """Return a page of a creator's accounts, oldest first. Raises NotFound."""
    if creators.find(errand.session, errand.organization_id, creator_id) is None:
        raise NotFound.named("Creator")
    statement = repository.kept_by_creator(errand.organization_id, creator_id)
    keyset = repository.OF_CREATOR.of(creator_id)
    return read_slice(errand.session, statement, keyset, query).page(_presenting(errand))


def read_account(errand: Errand, account_id: UUID) -> schemas.AccountDetail:
    """Return one account, removed or not. Raises NotFound."""
    account = repository.find(errand.session, errand.organization_id, account_id)
    if account is None:
        raise NotFound.named("Account")
    still = owned_videos.standing_still(errand.session, errand.organization_id, [account_id])
    connected = connections.of_accounts(errand.session, errand.organization_id, [account_id])
    counts = presenter.counts_of(errand.numbers, errand.organization_id, [account])
    labels = labels_of(errand.session, errand.organization_id, [account.id])
    connection = connected.get(account_id)
    covered = coverage_of(errand.numbers, errand.organization_id, account_id)
    return presenter.present_detail(account, counts, labels, still, connection, covered=covered)


def add_account(
    errand: WriteErrand,
    links: ShortLinks,
    *,
    creator_id: UUID,
    body: schemas.NewAccount,
) -> schemas.Account:
    """Add an account to a creator (contract, Accounts).

    Raises InvalidAccount, NotFound, CreatorInactive, AlreadyTracked, CreatorBanned and, unless
    the creator is deactivated, LimitReached.
    """
    wanted = Wanted(body, tracking.checked_handle(body.platform, body.handle, links))
    organizations.lock(errand.session, errand.organization_id)
    creator = creators.lock(errand.session, errand.organization_id, creator_id)
    if creator is None:
        raise NotFound.named("Creator")
    if not creator.is_active:
        raise CreatorInactive
    tracking.taken_among(errand, creator.project_id, [wanted]).hold([wanted])
    if creator.deactivated_at is None:
        tracking.room_for_accounts(errand).take(1)
    account = tracking.new_account(errand, creator, wanted)
    tracking.track(errand, creator, account)
    return _presented(errand, account)


def change_account(
    errand: WriteErrand,
    links: ShortLinks,
    *,
    account_id: UUID,
    changes: schemas.AccountChanges,
) -> schemas.Account:
    """Change how an account is tracked, or its handle, which is then looked up anew.

    Raises InvalidAccount, InvalidBody, NotFound and HandleTaken.
    """
    account = _locked(errand, account_id)
    handle = account.handle
    if changes.sends("handle"):
        handle = tracking.checked_handle(account.platform, changes.handle, links)
    change_tracking(account, changes)
    if handle != account.handle:
        _change_handle(errand.session, account, handle)
    errand.session.flush()
    return _presented(errand, account)


def remove_account(errand: WriteErrand, account_id: UUID) -> None:
    """Stop tracking an account for good; its history and videos stay. Raises NotFound."""
    account = _locked(errand, account_id)
    account.is_active = False
    account.removed_at = business_now(errand.session)
    let_go_after(errand.session)


def scrape_account(
    errand: WriteErrand, account_id: UUID, request: schemas.ScrapeRequest
) -> schemas.AccountScrape:
    """Queue a look at an account. Raises NotFound, InvalidRequest and RateLimitExceeded."""
    account = repository.find(errand.session, errand.organization_id, account_id)
    if account is None or not account.is_active:
        raise NotFound.named("Account")
    if account.deactivated_at is not None:
        raise InvalidRequest("The account is deactivated and cannot be scraped")
    job = scrape_jobs.request_scrape(errand, job_type=request.job_type, account=account)
    return schemas.AccountScrape(job_type=request.job_type, account_id=account.id, job_id=job.id)


def _presenting(errand: Errand) -> Callable[[Any], list[schemas.Account]]:
    return lambda rows: presenter.present(
        errand.session, errand.numbers, errand.organization_id, rows
    )


def _presented(errand: Errand, account: Account) -> schemas.Account:
    return presenter.present(errand.session, errand.numbers, errand.organization_id, [account])[0]


def _locked(errand: WriteErrand, account_id: UUID) -> Account:
    account = repository.lock(errand.session, errand.organization_id, account_id)
    if account is None:
        raise NotFound.named("Account")
    return account


def _change_handle(session: WriteSession, account: Account, handle: str) -> None:
    """Point the account at another handle: whose it is, and its posts, have to be seen first."""
    with session.no_autoflush:
        if repository.has_handle(session, account, handle):
            raise HandleTaken
    end_with_handle(session, account.organization_id, account.id)
    account.handle = handle
    account.platform_user_id = account.platform_alt_id = None
    account.discover_anew()
    if account.deactivated_at is None:
        tracking.queue_first_looks(session, [account])
