"""Progress of listings of all of an account's posts, from which the next one continues.

An account stores the position after its last registered page, of consecutive pages since the
first. After a lost page, or one from before the account existed, the listing starts over.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import polars as pl
from sqlalchemy import DateTime, Integer, and_, func, select, true, update
from sqlalchemy.orm import Session

from warehouse.operational.base import business_now
from warehouse.operational.models import Account, Organization
from warehouse.registration.identities import accounts_of
from warehouse.registration.scrapable import window_start
from warehouse.registration.staging import LISTINGS


@dataclass(frozen=True, slots=True)
class Unfinished:
    """An incomplete listing, which continues at the provider's `cursor`.

    Its `pages` were read consecutively since `began_at`, and their posts are registered.
    """

    began_at: datetime
    pages: int
    provider: str
    cursor: str


def accounts_listed(session: Session, listings: pl.DataFrame) -> list[tuple[int, UUID]]:
    """Return the account of each of the batch's listings, in the order of its rows.

    Call this before renames are applied.
    """
    if listings.is_empty():
        return []
    accounts = accounts_of(LISTINGS)
    rows = session.execute(select(accounts.c.row, accounts.c.account_id).order_by(accounts.c.row))
    return [(row.row, row.account_id) for row in rows]


def store(
    session: Session, listings: pl.DataFrame, about: Iterable[tuple[int, UUID]]
) -> dict[UUID, datetime | None]:
    """Record the accounts' progress of listings.

    Returns by account when its listing began if it completed without a gap, else None.
    """
    rows, ended = listings.to_dicts(), dict[UUID, datetime | None]()
    for number, account_id in about:
        row = rows[number]
        has_followed = _store(session, account_id, row)
        is_whole = has_followed and row["cursor"] is None and row["reached_known"]
        ended[account_id] = row["began_at"] if is_whole else None
    return ended


def _store(session: Session, account_id: UUID, row: Mapping[str, Any]) -> bool:
    """Write a listing's progress if it follows the recorded one. Returns whether it does.

    A first page replaces a listing, unless that one began later and is another worker's.
    """
    began_at = Account.listing["began_at"].astext.cast(DateTime(timezone=True))
    pages = Account.listing["pages"].astext.cast(Integer)
    is_later = and_(began_at > row["began_at"], began_at <= business_now(session))
    follows = and_(began_at == row["began_at"], pages == row["pages"] - 1)
    if row["pages"] == 1:
        follows = func.coalesce(~is_later, true())
    columns = {name: row[name] for name in ("pages", "provider", "cursor")}
    listing = {**columns, "began_at": row["began_at"].isoformat()} if row["cursor"] else None
    stored = session.execute(
        update(Account)
        .where(Account.id == account_id, follows)
        .values(listing=listing)
        .returning(Account.id)
        .execution_options(synchronize_session=False)
    )
    return stored.first() is not None


def lacks_from(session: Session, accounts: Collection[UUID]) -> Mapping[UUID, datetime]:
    """Return from when on each of the accounts may lack posts of its tracking window."""
    if not accounts:
        return {}
    columns = (Account.id, Account.last_discovered_at, Account.tracking_start_date)
    statement = (
        select(*columns, Organization.analytics_tz)
        .join(Organization, Organization.id == Account.organization_id)
        .where(Account.id.in_(accounts))
    )
    lacking: dict[UUID, datetime] = {}
    for account_id, searched_at, start_date, zone in session.execute(statement):
        start = window_start(start_date, zone)
        lacking[account_id] = max(searched_at or start, start)
    return lacking


def common_cut(accounts: Iterable[tuple[datetime | None, Any]]) -> Unfinished | None:
    """Return where to continue for several accounts, given (last discovery, listing) of each.

    Accounts without a gap need nothing; the others must agree, else None.
    """
    wanting = [listing for last_discovered_at, listing in accounts if last_discovered_at is None]
    if (
        not wanting
        or None in wanting
        or any(listing_of_account != wanting[0] for listing_of_account in wanting)
    ):
        return None
    listing = wanting[0]
    return Unfinished(**{**listing, "began_at": datetime.fromisoformat(listing["began_at"])})
