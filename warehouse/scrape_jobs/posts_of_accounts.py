"""Known posts of accounts at the start of a scrape, by account."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from warehouse.operational.models import Account, Video
from warehouse.operational.tracked_videos import among_active_accounts
from warehouse.registration.posting_times import is_awaited
from warehouse.registration.scrapable import scrapable_account, scrapable_video

PostsOfAccounts = dict[UUID, frozenset[str]]
DueOfAccounts = dict[UUID, dict[str, datetime | None]]
_LONGEST_ID = 40


def known_posts(session: Session, *of: ColumnElement[bool]) -> PostsOfAccounts:
    """Return by account the posts before which no gap remains.

    A complete discovery registers every post published before it began. Newer posts may come from
    an interrupted discovery, with others missing before them.
    """
    posted_at = func.coalesce(Video.posted_at, Video.created_at)
    return _posts_of_accounts(session, posted_at <= Account.last_discovered_at, *of)


def known_to_all(
    searched_at: Mapping[UUID, datetime | None], known: PostsOfAccounts
) -> frozenset[str]:
    """Return the posts before which no gap remains in any of the accounts.

    A project lacks posts outside of its window. So these are the known posts of the accounts that
    were searched longest ago, not the posts that all accounts have.
    """
    if (oldest := oldest_search(searched_at.values())) is None:
        return frozenset()
    return frozenset().union(
        *(known.get(account, ()) for account, at in searched_at.items() if at == oldest)
    )


def oldest_search(searched_at: Collection[datetime | None]) -> datetime | None:
    """Return the oldest of these complete discoveries, or None if one is missing."""
    instants = [at for at in searched_at if at is not None]
    return min(instants) if len(instants) == len(searched_at) else None


def listed_posts(session: Session, *of: ColumnElement[bool]) -> PostsOfAccounts:
    """Return all posts of each account with an interrupted listing."""
    return _posts_of_accounts(session, Account.listing.is_not(None), *of)


def undated_posts(session: Session, now: datetime, *of: ColumnElement[bool]) -> PostsOfAccounts:
    """Return by account the scrapable posts whose true posting time is still awaited."""
    lacks_true_time = or_(Video.posted_at.is_(None), is_awaited(now))
    return _posts_of_accounts(
        session, scrapable_video(among_active_accounts()), lacks_true_time, *of
    )


def due_posts(session: Session) -> DueOfAccounts:
    """Return by account the posts whose counters have to be read: all scrapable ones."""
    statement = select(Video.account_id, Video.platform_video_id, Video.posted_at).where(
        scrapable_video(among_active_accounts()), Video.account_id.is_not(None)
    )
    due: DueOfAccounts = defaultdict(dict)
    for row in session.execute(statement).all():
        due[row.account_id][row.platform_video_id] = row.posted_at
    return due


def _posts_of_accounts(session: Session, *conditions: ColumnElement[bool]) -> PostsOfAccounts:
    statement = (
        select(Video.account_id, func.array_agg(Video.platform_video_id).label("ids"))
        .join(Account, Account.id == Video.account_id)
        .where(scrapable_account(), *conditions)
        .group_by(Video.account_id)
    )
    return {row.account_id: frozenset(row.ids) for row in session.execute(statement)}


def newest_posts(session: Session, *conditions: ColumnElement[bool]) -> dict[UUID, str]:
    """Return the newest post of each account, by the platform's increasing ids, zero-padded."""
    newest = func.max(func.lpad(Video.platform_video_id, _LONGEST_ID, "0"))
    statement = (
        select(Video.account_id, newest.label("newest"))
        .join(Account, Account.id == Video.account_id)
        .where(scrapable_account(), *conditions)
        .group_by(Video.account_id)
    )
    return {row.account_id: row.newest for row in session.execute(statement)}
