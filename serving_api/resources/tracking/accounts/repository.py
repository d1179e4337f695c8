"""SQL of accounts. Every statement names the organization."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from uuid import UUID

from sqlalchemy import ARRAY, ColumnElement, Select, Text, and_, func, literal, select, tuple_
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from scrapers.urls import InvalidAccount, normalize_handle, plain_text, platform_of
from serving_api.kit.pagination import Keyset, among
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import count_rows, matching, rows_of
from serving_api.resources.programs.tags.repository import tagged
from serving_api.resources.tracking.accounts.schemas import AccountQuery, AccountStatus
from warehouse.fetch_schedule.conditions import SUBJECT_OF_ACCOUNT
from warehouse.operational.base import business_now
from warehouse.operational.models import Account, AccountFetch, AccountProfileChange
from warehouse.operational.session import WriteSession
from warehouse.registration.scrapable import scrapable_account

PlatformHandle = tuple[str, str]
"""Platform and handle."""

NEWEST_FIRST = Keyset(Account.created_at, Account.id, "accounts")
OF_CREATOR = Keyset(Account.created_at, Account.id, "creator-accounts", newest_first=False)


def filtered(session: Session, organization_id: UUID, query: AccountQuery) -> Select[Account]:
    """Select the matching accounts of an organization, without removed ones."""
    names = ("project_id", "creator_id", "platform")
    statement = matching(Account, organization_id, query, *names).where(Account.is_active)
    if query.search is not None:
        statement = statement.where(handle_matches(query.search))
    if query.updated_since is not None:
        statement = statement.where(Account.updated_at >= query.updated_since)
    statement = tagged(session, statement, "account", organization_id, query)
    return _with_status(statement, query.status)


def handle_matches(text: str) -> ColumnElement[bool]:
    """Return the condition that a text is in an account's handle, or is the URL of its profile.

    Handles are stored in lower case.
    There is no trigram index, so every account is read: 30,000 accounts take 4 ms, and half as
    much again with `lower()`.
    """
    with suppress(InvalidAccount):
        if platform := platform_of(text):
            handle = normalize_handle(platform, text)
            return and_(Account.platform == platform, Account.handle == handle)
    return Account.handle.contains(plain_text(text).removeprefix("@").lower(), autoescape=True)


def owners_updated(organization_id: UUID, since: datetime) -> Select[UUID]:
    """Select the creators of accounts that changed, or were removed, since."""
    return select(Account.creator_id).where(
        Account.organization_id == organization_id, Account.updated_at >= since
    )


def _with_status(statement: Select[Account], status: AccountStatus) -> Select[Account]:
    if status == "active":
        return statement.where(Account.deactivated_at.is_(None))
    if status == "deactivated":
        return statement.where(Account.deactivated_at.is_not(None))
    return statement


def present_of_creator(organization_id: UUID, creator_id: UUID) -> Select[Account]:
    """Select a creator's accounts without removed ones."""
    return rows_of(Account, organization_id).where(
        Account.creator_id == creator_id, Account.is_active
    )


def private_since(
    context: RequestContext, creator_ids: Collection[UUID]
) -> Mapping[UUID, datetime]:
    """Return when creators' accounts were last seen to become private, by account."""
    to = AccountProfileChange.changes["is_private"]["to"].astext
    statement = (
        select(AccountProfileChange.account_id, func.max(AccountProfileChange.observed_at))
        .join(Account, Account.id == AccountProfileChange.account_id)
        .where(
            Account.organization_id == context.organization_id,
            among(Account.creator_id, creator_ids),
            to == "true",
        )
        .group_by(AccountProfileChange.account_id)
    )
    return dict(context.session.execute(statement).all())


def next_checks(context: RequestContext, creator_id: UUID) -> Mapping[UUID, datetime]:
    """Return when a creator's accounts are checked next, by account, without those already due."""
    same = and_(
        AccountFetch.platform == Account.platform, AccountFetch.subject == SUBJECT_OF_ACCOUNT
    )
    statement = (
        select(Account.id, AccountFetch.account_due_at)
        .join(AccountFetch, same)
        .where(
            Account.organization_id == context.organization_id,
            Account.creator_id == creator_id,
            AccountFetch.account_due_at > business_now(context.session),
            scrapable_account(),  # other organizations may have the same account checked
        )
    )
    return {account_id: at for account_id, at in context.session.execute(statement) if at}


def present_of_creators(
    session: Session, organization_id: UUID, creator_ids: Collection[UUID]
) -> Sequence[Account]:
    """Return the accounts of many creators, oldest first, without removed ones.

    Fetched in pieces, because psycopg 3.3 holds the GIL while it converts rows: 20 ms for 2,000.
    """
    rows = session.scalars(
        rows_of(Account, organization_id)
        .where(Account.creator_id.in_(creator_ids), Account.is_active)
        .order_by(Account.created_at, Account.id)
    )
    return rows.yield_per(200).all()


def count_towards_limit(context: RequestContext) -> int:
    """Return how many accounts count towards the plan's limit: neither removed nor deactivated."""
    present = rows_of(Account, context.organization_id).where(Account.is_active)
    return count_rows(context.session, present.where(Account.deactivated_at.is_(None)))


def tracked_in_project(
    session: Session, organization_id: UUID, project_id: UUID, handles: Collection[PlatformHandle]
) -> Sequence[Account]:
    """Return the project's accounts with these handles, without removed ones."""
    return session.scalars(
        rows_of(Account, organization_id).where(
            Account.project_id == project_id, Account.is_active, _is_among(handles)
        )
    ).all()


def has_handle(session: Session, account: Account, handle: str) -> bool:
    """Return whether another account of the project, removed or not, has the handle."""
    others = rows_of(Account, account.organization_id).where(
        Account.project_id == account.project_id,
        Account.platform == account.platform,
        Account.handle == handle,
        Account.id != account.id,
    )
    return session.scalar(select(others.exists())) is True


def active_of_creator(context: WriteContext, creator_id: UUID) -> Sequence[Account]:
    """Lock and return a creator's active accounts, oldest first."""
    return _locked(
        context.session,
        present_of_creator(context.organization_id, creator_id).where(
            Account.deactivated_at.is_(None)
        ),
    )


def deactivated_with_creator(context: WriteContext, creator_id: UUID) -> Sequence[Account]:
    """Lock and return the accounts that are reactivated with the creator, oldest first."""
    return _locked(
        context.session,
        present_of_creator(context.organization_id, creator_id).where(
            Account.deactivated_at.is_not(None), Account.deactivated_via_cascade
        ),
    )


def _locked(session: WriteSession, accounts: Select[Account]) -> Sequence[Account]:
    query = accounts.order_by(Account.created_at, Account.id).with_for_update(key_share=True)
    return session.scalars(query).all()


def banned_among(
    session: Session, organization_id: UUID, handles: Collection[PlatformHandle]
) -> Collection[PlatformHandle]:
    """Return the handles that were banned at their last profile fetch, for any project.

    Includes removed accounts: the platform's answer holds until the next fetch.
    """
    platform_handle = (Account.platform, Account.handle)
    last = (
        rows_of(Account, organization_id)
        .with_only_columns(*platform_handle, Account.profile_outcome)
        .where(_is_among(handles), Account.profile_looked_at.is_not(None))
        .ext(distinct_on(*platform_handle))
        .order_by(*platform_handle, Account.profile_looked_at.desc(), Account.id.desc())
    )
    return {
        (platform, handle)
        for platform, handle, outcome in session.execute(last)
        if outcome == "banned"
    }


def _is_among(handles: Collection[PlatformHandle]) -> ColumnElement[bool]:
    """Return the condition that an account has one of the handles, for any number of them."""
    columns = [literal([handle[side] for handle in handles], ARRAY(Text)) for side in (0, 1)]
    listed = func.unnest(*columns).table_valued("platform", "handle").render_derived()
    return tuple_(Account.platform, Account.handle).in_(select(listed.c.platform, listed.c.handle))


def remove_of_creator(
    session: WriteSession, organization_id: UUID, creator_id: UUID, at: datetime
) -> None:
    for account in _locked(session, present_of_creator(organization_id, creator_id)):
        account.is_active = False
        account.removed_at = at
