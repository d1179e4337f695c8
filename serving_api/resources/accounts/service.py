"""What may happen to an account, and in which order it is decided."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from scrapers.urls import ShortLinks
from serving_api.auth.principals import Principal
from serving_api.errors import CreatorInactive, HandleTaken, InvalidBody, InvalidRequest, NotFound
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import PageQuery, read_slice
from serving_api.kit.published import Published
from serving_api.resources.accounts import presenter, repository, schemas, tracking
from serving_api.resources.creators import repository as creators
from serving_api.resources.scrape_jobs import service as scrape_jobs
from serving_api.resources.tags.labels import labels_of
from warehouse.operational.base import business_now
from warehouse.operational.models import Account
from warehouse.operational.session import WriteSession

_AS_SENT = ("tracking_mode", "tracking_hashtags", "hashtag_inbox_non_matching")
_DATES = ("tracking_start_date", "tracking_end_date")


def list_accounts(
    caller: Principal, session: Session, numbers: Published, query: schemas.AccountQuery
) -> Page[schemas.Account]:
    """Return a page of the organization's accounts, newest first."""
    statement = repository.filtered(caller.organization_id, query)
    keyset = repository.NEWEST_FIRST.of(caller.organization_id)
    return read_slice(session, statement, keyset, query).page(_presenting(caller, session, numbers))


def list_of_creator(
    caller: Principal, session: Session, numbers: Published, creator_id: UUID, query: PageQuery
) -> Page[schemas.Account]:
    """Return a page of a creator's accounts, oldest first. Raises NotFound."""
    if creators.find(session, caller.organization_id, creator_id) is None:
        raise NotFound.named("Creator")
    statement = repository.kept_by_creator(caller.organization_id, creator_id)
    keyset = repository.OF_CREATOR.of(creator_id)
    return read_slice(session, statement, keyset, query).page(_presenting(caller, session, numbers))


def read_account(
    caller: Principal, session: Session, numbers: Published, account_id: UUID
) -> schemas.AccountDetail:
    """Return one account, removed or not. Raises NotFound."""
    account = repository.find(session, caller.organization_id, account_id)
    if account is None:
        raise NotFound.named("Account")
    frozen, stopped = repository.standing_still(session, caller.organization_id, account_id)
    counts = presenter.counts_of(numbers, caller.organization_id, [account])
    labels = labels_of(session, caller.organization_id, [account.id])
    return presenter.present_detail(account, counts, labels, frozen, stopped)


def add_account(
    caller: Principal,
    session: WriteSession,
    numbers: Published,
    links: ShortLinks,
    *,
    creator_id: UUID,
    body: schemas.NewAccount,
) -> schemas.Account:
    """Add an account to a creator (contract, Accounts).

    Raises InvalidAccount, NotFound, CreatorInactive, LimitReached and AlreadyTracked.
    """
    wanted = tracking.checked([body], links)
    creator = creators.lock(session, caller.organization_id, creator_id)
    if creator is None:
        raise NotFound.named("Creator")
    if not creator.is_active:
        raise CreatorInactive
    tracking.make_room(session, caller, creator.project_id, wanted)
    accounts = tracking.track(session, caller, creator, wanted)
    return _presented(caller, session, numbers, accounts[0])


def change_account(
    caller: Principal,
    session: WriteSession,
    numbers: Published,
    links: ShortLinks,
    *,
    account_id: UUID,
    changes: schemas.AccountChanges,
) -> schemas.Account:
    """Change how an account is tracked, or its handle, which is then looked up anew.

    Raises InvalidAccount, InvalidBody, NotFound and HandleTaken.
    """
    account = _locked(caller, session, account_id)
    _change_tracking(account, changes)
    if changes.sends("handle"):
        _change_handle(session, account, changes.handle, links)
    session.flush()
    return _presented(caller, session, numbers, account)


def remove_account(caller: Principal, session: WriteSession, account_id: UUID) -> None:
    """Stop tracking an account for good; its history and videos stay. Raises NotFound."""
    account = _locked(caller, session, account_id)
    account.is_active = False
    account.removed_at = business_now(session)


def scrape_account(
    caller: Principal, session: WriteSession, account_id: UUID, request: schemas.ScrapeRequest
) -> schemas.AccountScrape:
    """Queue a look at an account. Raises NotFound, InvalidRequest and RateLimitExceeded."""
    account = repository.find(session, caller.organization_id, account_id)
    if account is None or not account.is_active:
        raise NotFound.named("Account")
    if account.deactivated_at is not None:
        raise InvalidRequest("The account is deactivated and cannot be scraped")
    job = scrape_jobs.request_scrape(caller, session, job_type=request.job_type, account=account)
    return schemas.AccountScrape(job_type=request.job_type, account_id=account.id, job_id=job.id)


def _presenting(
    caller: Principal, session: Session, numbers: Published
) -> Callable[[Any], list[schemas.Account]]:
    return lambda rows: presenter.present(session, numbers, caller.organization_id, rows)


def _presented(
    caller: Principal, session: Session, numbers: Published, account: Account
) -> schemas.Account:
    return presenter.present(session, numbers, caller.organization_id, [account])[0]


def _locked(caller: Principal, session: WriteSession, account_id: UUID) -> Account:
    account = repository.lock(session, caller.organization_id, account_id)
    if account is None:
        raise NotFound.named("Account")
    return account


def _change_tracking(account: Account, changes: schemas.AccountChanges) -> None:
    for name in (*_AS_SENT, *_DATES):
        if changes.sends(name):
            setattr(account, name, getattr(changes, name))
    if account.tracking_mode == "hashtag" and not account.tracking_hashtags:
        raise InvalidBody.at("tracking_hashtags", "must not be empty in mode 'hashtag'")
    start, end = account.tracking_start_date, account.tracking_end_date
    if start and end and end < start:
        raise InvalidBody.at("tracking_end_date", f"must not be before {start}")


def _change_handle(session: WriteSession, account: Account, text: str, links: ShortLinks) -> None:
    """Point the account at another handle: whose it is has to be seen first."""
    handle = tracking.checked_handle(account.platform, text, links)
    if handle == account.handle:
        return
    with session.no_autoflush:
        if repository.has_handle(session, account, handle):
            raise HandleTaken
    account.handle = handle
    account.platform_user_id = account.platform_alt_id = None
    tracking.queue_first_looks(session, account)
