"""Updates accounts from a batch's profiles: names, links, ids, new handles.

Counters are readings and go to the warehouse (`readings`).
"""

from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, Subquery, Update, exists, func, or_, select, update
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session, aliased

from warehouse.operational.models import Account
from warehouse.registration.identities import accounts_of
from warehouse.registration.staging import NOW, PROFILES

OBSERVED = ("platform_alt_id", "display_name", "avatar_url", "bio_link", "is_private")


def update_profiles(session: Session, now: datetime) -> bool:
    """Update accounts to their newest profile. Fields that it did not show stay.

    Returns whether a handle changed.
    """
    is_renamed = _follow_renames(session, now)
    session.execute(_update(), {"now": now})
    return is_renamed


@cache
def _update() -> Update:
    seen = _newest()
    known = {name: func.coalesce(seen.c[name], getattr(Account, name)) for name in OBSERVED}
    return (
        update(Account)
        .where(Account.id == seen.c.account_id, _not_older_than_account(seen))
        .values(
            **known,
            platform_user_id=func.coalesce(Account.platform_user_id, seen.c.platform_user_id),
            last_scraped_at=func.greatest(Account.last_scraped_at, seen.c.read_at),
            updated_at=NOW,
        )
        .execution_options(synchronize_session=False)
    )


@cache
def _newest() -> Subquery:
    """Return each account's newest profile in the batch; read_at is null without a counter."""
    accounts = accounts_of(PROFILES)
    read_at = func.max(PROFILES.c.captured_at).filter(PROFILES.c.is_reading)
    return (
        select(
            accounts.c.account_id,
            accounts.c.by_user_id,
            *(
                PROFILES.c[name]
                for name in ("handle", "platform_user_id", "captured_at", *OBSERVED)
            ),
            read_at.over(partition_by=accounts.c.account_id).label("read_at"),
        )
        .join(PROFILES, PROFILES.c.row == accounts.c.row)
        .ext(distinct_on(accounts.c.account_id))
        .order_by(accounts.c.account_id, PROFILES.c.captured_at.desc(), PROFILES.c.row.desc())
        .subquery()
    )


def _not_older_than_account(seen: Subquery) -> ColumnElement[bool]:
    return or_(Account.last_scraped_at.is_(None), Account.last_scraped_at <= seen.c.captured_at)


def _follow_renames(session: Session, now: datetime) -> bool:
    """Update handles by user id, unless the project already tracks the new handle.

    Returns whether there was any. A rename can free the handle that another needs, so this repeats
    until none is possible.
    """
    waiting = {row.id: row.handle for row in session.execute(_renames())}
    count = len(waiting)
    while done := [
        account for account, handle in waiting.items() if _rename(session, account, handle, now)
    ]:
        for account_id in done:
            del waiting[account_id]
    return len(waiting) < count


@cache
def _renames() -> Select[Any]:
    seen = _newest()
    return (
        select(Account.id, seen.c.handle)
        .join(seen, Account.id == seen.c.account_id)
        .where(seen.c.by_user_id, Account.handle != seen.c.handle, _not_older_than_account(seen))
        .order_by(Account.id)
    )


def _rename(session: Session, account_id: UUID, handle: str, now: datetime) -> bool:
    other = aliased(Account)
    is_in_use = exists().where(
        other.project_id == Account.project_id,
        other.platform == Account.platform,
        other.handle == handle,
        other.is_active,
    )
    renamed = session.execute(
        update(Account)
        .where(Account.id == account_id, ~is_in_use)
        .values(handle=handle, updated_at=now)
        .returning(Account.id)
    )
    return renamed.first() is not None
