"""Matches profiles and posts to accounts by user id, and by handle only if an id is unknown.

A handle can pass to another person. So an account with a known user id never gets readings of
another user id under its old handle.
"""

from functools import cache
from typing import Any

from sqlalchemy import (
    Insert,
    Select,
    Subquery,
    Table,
    false,
    func,
    insert,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from warehouse.operational.models import Account
from warehouse.registration.scrapable import scrapable_account
from warehouse.registration.staging import (
    BATCH,
    COAUTHORS,
    LISTINGS,
    OUTCOMES,
    POST_ACCOUNTS,
    POSTS,
    PROFILES,
)


@cache
def accounts_of(staged: Table) -> Subquery:
    """Return the scrapable accounts of staged rows, in all projects.

    Columns row, account_id, by_user_id. Two joins on equality, because one with `or` would compare
    every account with every row.
    """
    pairs = select(staged.c.row, Account.id.label("account_id"))
    same_platform = Account.platform == staged.c.platform
    by_user_id = pairs.add_columns(true().label("by_user_id")).join(
        Account, same_platform & (Account.platform_user_id == staged.c.platform_user_id)
    )
    by_handle = (
        pairs.add_columns(false().label("by_user_id"))
        .join(Account, same_platform & (Account.handle == staged.c.handle))
        .where(or_(Account.platform_user_id.is_(None), staged.c.platform_user_id.is_(None)))
    )
    return union_all(
        by_user_id.where(scrapable_account()), by_handle.where(scrapable_account())
    ).subquery()


def lock_accounts(session: Session) -> bool:
    """Lock the accounts that profiles, fetches and listings name, in the order of ids.

    All writers lock them in this order. Returns whether several batches name an account.
    """
    return any(row.is_shared for row in session.execute(_locking()))


@cache
def _locking() -> Select[Any]:
    named = union_all(
        *(
            select(accounts_of(staged).c.account_id, staged.c[BATCH]).join(
                staged, staged.c.row == accounts_of(staged).c.row
            )
            for staged in (PROFILES, OUTCOMES, LISTINGS)
        )
    ).subquery()
    is_shared = func.min(named.c[BATCH]) < func.max(named.c[BATCH])
    shared = (
        select(named.c.account_id, is_shared.label("is_shared"))
        .group_by(named.c.account_id)
        .subquery()
    )
    return (
        select(Account.id, shared.c.is_shared)
        .join(shared, shared.c.account_id == Account.id)
        .order_by(Account.id)
        .with_for_update(key_share=True, of=Account)
    )


def find_accounts_of_posts(session: Session) -> None:
    """Fill POST_ACCOUNTS: the author's account before a co-author's.

    Then matches by user id before those by handle, then the oldest account.
    """
    session.execute(_finding())


@cache
def _finding() -> Insert:
    owners = union_all(
        select(accounts_of(POSTS), true().label("is_author")),
        select(accounts_of(COAUTHORS), false().label("is_author")),
    ).subquery()
    best = (
        select(
            owners.c.row,
            Account.id,
            Account.creator_id,
            Account.project_id,
            Account.organization_id,
        )
        .join(Account, Account.id == owners.c.account_id)
        .ext(distinct_on(owners.c.row, Account.project_id))
        .order_by(
            owners.c.row,
            Account.project_id,
            owners.c.is_author.desc(),
            owners.c.by_user_id.desc(),
            Account.created_at,
            Account.id,
        )
    )
    columns = ["row", "account_id", "creator_id", "project_id", "organization_id"]
    return insert(POST_ACCOUNTS).from_select(columns, best)
