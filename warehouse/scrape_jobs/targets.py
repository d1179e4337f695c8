"""Accounts to scrape: each once, for all projects that track it.

`registration.scrapable` defines what may be scraped; registration assigns the readings.
"""

from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Select, and_, select
from sqlalchemy.orm import Session

from warehouse.fetch_schedule.conditions import SUBJECT_OF_ACCOUNT
from warehouse.operational.models import Account, Organization
from warehouse.registration.listings import Unfinished, common_cut
from warehouse.registration.scrapable import (
    scrapable_account,
    search_start,
    window_start,
)
from warehouse.scrape_jobs.posts_of_accounts import (
    DueOfAccounts,
    PostsOfAccounts,
    due_posts,
    known_posts,
    known_to_all,
    listed_posts,
    newest_posts,
    oldest_search,
    undated_posts,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountToScrape:
    """An account to scrape.

    Discovery goes back to `since`, the earliest instant from which a project lacks posts, or to
    `known` posts, before which no project has a gap: all were searched at `searched_at` or later.
    The posting times of `undated` posts are estimates or unknown. `newest_post` is the newest
    registered post, whose page shows an account's new handle. `due` are the posts whose counters
    have to be read, with posting times; None if not planned. If no post is known, the listing of
    all posts continues at `cut`, after the `listed` posts.
    """

    platform: str
    handle: str
    platform_user_id: str | None
    platform_alt_id: str | None
    since: datetime
    known: frozenset[str]
    searched_at: datetime | None = None
    undated: frozenset[str] = frozenset()
    newest_post: str | None = None
    due: Mapping[str, datetime | None] | None = None
    cut: Unfinished | None = None
    listed: frozenset[str] = frozenset()


def scheduled_accounts(session: Session, now: datetime) -> list[AccountToScrape]:
    """Return every account that a project tracks, the one scraped longest ago first."""
    return [
        target
        for _, target in sorted(_merged(session, now, due_posts(session)), key=lambda pair: pair[0])
    ]


def accounts_to_fetch(
    session: Session, platform: str, subjects: Collection[str], now: datetime
) -> dict[str, AccountToScrape]:
    """Return the scrapable accounts of account fetches.

    Their due posts are in `warehouse.fetch_schedule.due_posts`.
    """
    these = and_(Account.platform == platform, SUBJECT_OF_ACCOUNT.in_(subjects))
    merged = _merged(session, now, None, these)
    return {account.platform_user_id or f"@{account.handle}": account for _, account in merged}


def load_requested_accounts(
    session: Session, account_ids: Collection[UUID]
) -> dict[UUID, AccountToScrape]:
    """Return the scrapable accounts of jobs, for complete discoveries: no posts are known."""
    rows = session.execute(_tracked_accounts(Account.id.in_(account_ids)))
    newest = newest_posts(session, Account.id.in_(account_ids))
    listed = listed_posts(session, Account.id.in_(account_ids))
    return {
        row.id: replace(
            _merge([row], newest, {}, {}, None, listed)[1],
            since=window_start(row.tracking_start_date, row.analytics_tz),
        )
        for row in rows
    }


def _tracked_accounts(*conditions: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    return (
        select(
            Account.id,
            Account.platform,
            Account.handle,
            Account.platform_user_id,
            Account.platform_alt_id,
            Account.tracking_start_date,
            Account.tracking_end_date,
            Account.last_scraped_at,
            Account.last_discovered_at,
            Account.listing,
            Organization.analytics_tz,
        )
        .join(Organization, Organization.id == Account.organization_id)
        .where(scrapable_account(), *conditions)
    )


def _by_identity(rows: Iterable[Row[Any]]) -> Iterator[list[Row[Any]]]:
    """Group the accounts of all projects that are one account of the platform.

    By user id, or if unknown, by handle.
    """

    def identity(row: Row[Any]) -> tuple[str, bool, str]:
        named = row.platform_user_id is None
        return row.platform, named, row.handle if named else row.platform_user_id

    for _, group in groupby(sorted(rows, key=identity), key=identity):
        yield list(group)


def _merged(
    session: Session, now: datetime, due: DueOfAccounts | None, *conditions: ColumnElement[bool]
) -> list[tuple[float, AccountToScrape]]:
    """Return (last scraped, account) of every tracked account, each once."""
    rows = session.execute(_tracked_accounts(*conditions)).all()
    newest, known = newest_posts(session, *conditions), known_posts(session, *conditions)
    undated = undated_posts(session, now, *conditions)
    listed = listed_posts(session, *conditions)
    return [_merge(of_one, newest, known, undated, due, listed) for of_one in _by_identity(rows)]


def _merge(  # noqa: PLR0917  what is known of the accounts, each by account
    rows: list[Row[Any]],
    newest_of: Mapping[UUID, str],
    known: PostsOfAccounts,
    undated: PostsOfAccounts,
    due: DueOfAccounts | None,
    listed: PostsOfAccounts,
) -> tuple[float, AccountToScrape]:
    """Return when the accounts were last scraped, as a sort key, and their common target.

    The handle is that of the account scraped last, which has followed every rename.
    """
    newest = max(rows, key=_scraped)
    searched_at = {row.id: row.last_discovered_at for row in rows}
    target = AccountToScrape(
        platform=newest.platform,
        handle=newest.handle,
        platform_user_id=newest.platform_user_id,
        platform_alt_id=next((row.platform_alt_id for row in rows if row.platform_alt_id), None),
        since=min(map(search_start, rows)),
        known=known_to_all(searched_at, known),
        searched_at=oldest_search(searched_at.values()),
        undated=frozenset().union(*(undated.get(row.id, ()) for row in rows)),
        due=None if due is None else dict(ChainMap(*(due.get(row.id, {}) for row in rows))),
        cut=common_cut((row.last_discovered_at, row.listing) for row in rows),
        listed=frozenset.intersection(*(listed.get(row.id, frozenset()) for row in rows)),
        newest_post=max(newest_of.get(row.id, "") for row in rows).lstrip("0") or None,
    )
    return min(_scraped(row) for row in rows), target


def _scraped(row: Row[Any]) -> float:
    return row.last_scraped_at.timestamp() if row.last_scraped_at else 0.0
