"""Claims due account fetches for workers, each under a lease.

Fetches under way of a dead worker become due again when its lease expires; settled ones stay
settled. Leases use PostgreSQL's clock; due times are business time.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import attrgetter
from types import MappingProxyType

from sqlalchemy import ColumnElement, Select, false, func, or_, select
from sqlalchemy.orm import Session

from warehouse.fetch_schedule.conditions import SUBJECT_OF_ACCOUNT, SUBJECT_SQL
from warehouse.fetch_schedule.members import leased_by_handle, let_go_of_empty
from warehouse.fetch_schedule.plan import lock_plan, plan_subjects
from warehouse.operational.clock import clock_of_database, refuse_wrong_clock
from warehouse.operational.leases import FETCH_LEASE, LONGEST_FETCH_LEASE, Queue, has_ended
from warehouse.operational.models import Account, AccountFetch, FetchDeadline, ScrapeJob
from warehouse.operational.session import WriteSession, driver_of
from warehouse.operational.store import OperationalStore
from warehouse.scrape_jobs.claimable import IS_OPEN

BETWEEN_WORKERS = timedelta(minutes=10)
"""How often `due_fetches` starts workers."""
BEFORE_END = timedelta(minutes=16)
"""A fetch before a period's end pays from later on."""
MOST_OTHERS = 3
"""Few, as a daily limit does not count for them; one that is answered decides."""

_QUEUE = Queue(
    AccountFetch, AccountFetch.lease_expires_at, FETCH_LEASE, longest=LONGEST_FETCH_LEASE
)

_NOTE_POSTS = """
    update post_looks set looked_at = %(now)s
    where platform = %(platform)s and platform_video_id = any(%(posts)s)
        and (looked_at is null or looked_at < %(now)s)
    returning subject
"""

_NOTE_ACCOUNT_FETCHES = f"""
    with profiles as (
        select {SUBJECT_SQL} as subject, max(profile_looked_at) as read_at
        from accounts
        where platform = %(platform)s and {SUBJECT_SQL} = any(%(accounts)s)
        group by 1
    )
    update visits
    set looked_at = greatest(
            looked_at,
            %(now)s,
            (select read_at from profiles where profiles.subject = visits.subject)
        ),
        failing_since = (%(failing_since)s::timestamptz[])[array_position(%(failed)s, subject)]
    where platform = %(platform)s and subject = any(%(accounts)s)
"""  # noqa: S608  SQL of ours


@dataclass(frozen=True, slots=True)
class ClaimedFetch:
    """An account fetch leased to this worker; equal under any lease.

    `with_account`: its profile and newest posts are due too. `claimed_at` is business time; no
    reading of the fetch is older.
    """

    subject: str
    with_account: bool
    claimed_at: datetime = field(compare=False)
    row: AccountFetch = field(compare=False)


def all_by_time(platform: str, now: datetime) -> Select[AccountFetch]:
    return _due(platform, now).order_by(AccountFetch.due_at)


def all_by_worth(platform: str, now: datetime) -> Select[AccountFetch]:
    """Under a budget: paying ones, then the ones fetched longest ago."""
    is_paying = func.coalesce(AccountFetch.pays_at <= now, false())
    return _due(platform, now).order_by(is_paying.desc(), AccountFetch.oldest_at.nulls_first())


def paying_only(platform: str, now: datetime) -> Select[AccountFetch]:
    """Those not fetched for longest first: near a period's end others were read minutes ago.

    Those without an answer come last. All are due by `pays_at` at the latest, so the index on due
    times finds the few.
    """
    paying = _due(platform, now).where(AccountFetch.pays_at <= now)
    fails = AccountFetch.failing_since.is_not(None)
    return paying.order_by(fails, AccountFetch.oldest_at.nulls_first(), AccountFetch.pays_at)


def claim_others(
    store: OperationalStore, platform: str, limit: int, *, but: Collection[str]
) -> list[ClaimedFetch]:
    """Claim MOST_OTHERS at random, paying ones last, to learn whether the platform answers."""

    def others(platform: str, now: datetime) -> Select[AccountFetch]:
        is_paying = func.coalesce(AccountFetch.pays_at <= now, false())
        fails = AccountFetch.failing_since.is_not(None)
        due = _due(platform, now).where(AccountFetch.subject.not_in(but))
        return due.order_by(fails, is_paying, func.random())

    return claim_fetches(store, platform, min(limit, MOST_OTHERS), which=others)


def claim_fetches(
    store: OperationalStore,
    platform: str,
    limit: int,
    *,
    which: Callable[[str, datetime], Select[AccountFetch]] = all_by_time,
) -> list[ClaimedFetch]:
    """Claim up to `limit` due account fetches, the longest due first. Raises WrongClockError."""
    with store.write_session() as session:
        return claim_in(session, store.clock(), platform, limit, which)


def claim_in(
    session: WriteSession,
    now: datetime,
    platform: str,
    limit: int,
    which: Callable[[str, datetime], Select[AccountFetch]],
) -> list[ClaimedFetch]:
    """Claim in the caller's transaction."""
    refuse_wrong_clock(session)
    free = _QUEUE.free(which(platform, now).limit(limit), clock_of_database(session))
    while others := leased_by_handle(session, rows := session.scalars(free).all()):
        free = free.where(AccountFetch.subject.not_in(others))
    rows = _QUEUE.lease(rows, clock_of_database(session))
    return [
        ClaimedFetch(
            row.subject,
            with_account=row.account_due_at is not None and row.account_due_at <= now,
            claimed_at=now,
            row=row,
        )
        for row in sorted(rows, key=attrgetter("due_at"))
    ]


def is_any_due(session: Session, platform: str, now: datetime) -> bool:
    """Return whether an account fetch of the platform can be claimed at `now` (UTC)."""
    due = _due(platform, now).where(_QUEUE.is_free(func.now()))
    return bool(session.scalar(select(due.exists())))


def next_retry(
    session: Session, platform: str, now: datetime, *, is_away: bool = False
) -> datetime | None:
    """Return when a paying fetch without an answer is due again, if within BETWEEN_WORKERS.

    While the platform `is_away`, those that were released are due, until their period ends. One may
    have paid since a threshold, or an end, long before that.
    """
    is_retry = AccountFetch.failing_since.is_not(None)
    of_creator = FetchDeadline.creator_id == Account.creator_id
    ending = (
        select(SUBJECT_OF_ACCOUNT)
        .join(FetchDeadline, of_creator)
        .where(Account.platform == platform, FetchDeadline.ends_at.between(now, now + BEFORE_END))
    )
    near = paying_only(platform, now + BETWEEN_WORKERS).where(
        or_(is_retry, AccountFetch.pays_at <= now) if is_away else is_retry,
        or_(AccountFetch.pays_at > now - BEFORE_END, AccountFetch.subject.in_(ending)),
        _QUEUE.is_free(func.now()),
    )
    return session.scalar(near.with_only_columns(AccountFetch.pays_at).limit(1))


def is_under_way() -> ColumnElement[bool]:
    return ~_QUEUE.is_free(func.now())


def _due(platform: str, now: datetime) -> Select[AccountFetch]:
    """Select due account fetches, without accounts to list that a job lists, or will (if new)."""
    due, job = AccountFetch, ScrapeJob
    in_jobs = select(SUBJECT_OF_ACCOUNT).join(job, job.account_id == Account.id)
    requested = in_jobs.where(IS_OPEN, Account.platform == platform)  # read once, not for each row
    is_leased = ~has_ended(job.lease_expires_at, func.now(), LONGEST_FETCH_LEASE)
    under_way = requested.where(job.status == "running", is_leased)
    return select(due).where(
        *(due.platform == platform, due.due_at <= now),
        or_(due.looked_at.is_not(None), due.subject.not_in(requested)),
        or_(due.oldest_at.is_not(None), due.pays_at <= now, due.subject.not_in(under_way)),
    )


def settle(
    store: OperationalStore,
    platform: str,
    account_fetches: Collection[ClaimedFetch],
    posts: Collection[str],
    failed: Mapping[ClaimedFetch, datetime] = MappingProxyType({}),
) -> None:
    """Record finished account fetches and the posts they fetched, and schedule the next ones.

    The `failed` ones got no answer since then, or no request was made. They are due again after
    minutes, then after as long as they have been failing. A result after the lease is not recorded.

    Call this after the batch has landed. Registration records readings at their own instants, this
    at the claim's: only a post without one has a fetch later than its last reading.
    """
    if not account_fetches:
        return
    subjects = {account_fetch.subject for account_fetch in account_fetches}
    values = {
        "platform": platform,
        "now": min(account_fetch.claimed_at for account_fetch in account_fetches),
        "posts": list(posts),
        "failed": [account_fetch.subject for account_fetch in failed],
        "failing_since": [*failed.values()],
    }
    noted = {
        v.subject
        for v in account_fetches
        if v.with_account or v in failed or v.subject.startswith("#")
    }
    with store.write_session() as session:
        lock_plan(session)
        ours = {row.subject for row in _QUEUE.release(session, _rows(account_fetches))}
        driver = driver_of(session)
        elsewhere = {subject for (subject,) in driver.execute(_NOTE_POSTS, values)}
        driver.execute(_NOTE_ACCOUNT_FETCHES, {**values, "accounts": [*noted & ours]})
        moved = let_go_of_empty(session, platform, subjects)
        plan_subjects(session, platform, subjects | elsewhere | moved)


def renew(store: OperationalStore, account_fetches: Collection[ClaimedFetch]) -> None:
    """Extend the leases that this worker still has; the rows of others show none."""
    for lost in _QUEUE.renew(store, _rows(account_fetches)):
        lost.lease_expires_at = None


def release(store: OperationalStore, account_fetches: Collection[ClaimedFetch]) -> None:
    """Return unused account fetches; they are due as before."""
    with store.write_session() as session:
        lock_plan(session)
        _QUEUE.release(session, _rows(account_fetches))


def _rows(account_fetches: Collection[ClaimedFetch]) -> list[AccountFetch]:
    return [account_fetch.row for account_fetch in account_fetches]
