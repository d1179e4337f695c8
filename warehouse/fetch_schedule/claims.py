"""Claims due account fetches for workers, each under a lease.

Workers on any machines get different account fetches (SKIP LOCKED). Fetches under way of a dead
worker become due again when its lease expires; settled ones stay settled. A lease is identified by
its expiry, which is later for each new owner, so a late worker can end only its own lease. Leases
use PostgreSQL's clock; due times are business time.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from warehouse.fetch_schedule.members import let_go_of_empty
from warehouse.fetch_schedule.plan import lock_plan, plan_subjects
from warehouse.operational.clock import refuse_wrong_clock
from warehouse.operational.session import driver_of
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS

LEASE = timedelta(minutes=45)
"""Longest time from a claim, or a landed batch, to the next landing. It exceeds the longest wait
for a platform (TRACKER_SCRAPE_PATIENCE_SECONDS)."""

_CLAIMABLE = "{due} <= %(now)s and (lease_expires_at is null or lease_expires_at < now())"

_CLAIM = f"""
    update visits set lease_expires_at = now() + %(lease)s
    where ctid = any(array(
        select ctid from visits
        where platform = %(platform)s and {_CLAIMABLE}
        order by {{order}}
        limit %(limit)s
        for update skip locked
    ))
    returning
        subject,
        coalesce(account_due_at <= %(now)s, false),
        lease_expires_at,
        due_at
"""  # noqa: S608  SQL of ours
"""Locked rows are updated by ctid, because a join of so many rows would scan the whole table."""

_IS_ANY_DUE = f"""
    select exists (
        select from visits
        where platform = any(%(platforms)s) and {_CLAIMABLE.format(due="due_at")}
    )
"""  # noqa: S608  SQL of ours

IS_DUE = """(
    fetches.due_at <= {now}
    or (
        fetches.reason not in ('day_end', 'period_end')
        and fetches.looked_at + (fetches.due_at - fetches.looked_at) * 0.75 <= {now}
    )
)"""
"""Whether an account fetch at that instant reads a post. Reading it early saves a request."""

_DUE_POSTS = f"""
    select distinct on (fetches.subject, fetches.platform_video_id)
        fetches.subject, fetches.platform_video_id, videos.posted_at,
        coalesce(accounts.handle, videos.author_handle), accounts.platform_user_id,
        bool_or(videos.last_scraped_at is not null) over (
            partition by fetches.subject, fetches.platform_video_id
        ),
        bool_or(fetches.views is not null) over (
            partition by fetches.subject, fetches.platform_video_id
        )
    from post_looks as fetches
    inner join videos on fetches.video_id = videos.id
    left join accounts on videos.account_id = accounts.id
    where fetches.platform = %(platform)s and fetches.subject = any(%(subjects)s)
        and {IS_DUE.format(now="%(now)s")}
    order by fetches.subject, fetches.platform_video_id
"""  # noqa: S608  SQL of ours

_NOTE_POSTS = """
    update post_looks set looked_at = %(now)s
    where platform = %(platform)s and platform_video_id = any(%(posts)s)
        and (looked_at is null or looked_at < %(now)s)
    returning subject
"""

_NOTE_ACCOUNT_FETCHES = """
    update visits
    set looked_at = greatest(looked_at, %(now)s), failing_since = null
    where platform = %(platform)s and subject = any(%(accounts)s)
"""

_NOTE_FAILURES = """
    update visits
    set looked_at = greatest(looked_at, %(now)s), failing_since = coalesce(failing_since, %(now)s)
    where platform = %(platform)s and subject = any(%(failed)s)
"""

_RENEW = """
    update visits set lease_expires_at = now() + %(lease)s
    where ctid = any(array(
        select visits.ctid
        from unnest(%(subjects)s::text[], %(leases)s::timestamptz[]) as ours (subject, lease)
        inner join visits on visits.platform = %(platform)s and visits.subject = ours.subject
            and visits.lease_expires_at = ours.lease
        for update of visits skip locked
    ))
    returning subject, lease_expires_at
"""
"""Locked rows are being planned and are renewed next time; waiting for them could deadlock."""

_RELEASE = """
    update visits
    set lease_expires_at = null
    from unnest(%(subjects)s::text[], %(leases)s::timestamptz[]) as ours (subject, lease)
    where visits.platform = %(platform)s and visits.subject = ours.subject
        and visits.lease_expires_at = ours.lease
"""


@dataclass(frozen=True, slots=True)
class ClaimedFetch:
    """An account fetch leased to this worker until `lease`.

    `with_account`: its profile and newest posts are due too. It is equal under any lease.
    `claimed_at` is business time; no reading of the fetch is older.
    """

    subject: str
    with_account: bool
    lease: datetime = field(compare=False)
    claimed_at: datetime = field(compare=False)


@dataclass(frozen=True, slots=True)
class DuePost:
    """A post of an account fetch that is due, or nearly so.

    `handle` and `platform_user_id` are its author's. They and `posted_at` are None if unknown.
    `was_read` tells whether it has a reading, `has_views` whether one showed its views.
    """

    platform_video_id: str
    posted_at: datetime | None
    handle: str | None
    platform_user_id: str | None
    was_read: bool
    has_views: bool


BY_WORTH = "coalesce({0}.pays_at <= {1}, false) desc, {0}.oldest_at nulls first"
"""Priority under a budget: paying ones, then the ones fetched longest ago."""

ALL_BY_TIME = _CLAIM.format(due="due_at", order="due_at")
ALL_BY_WORTH = _CLAIM.format(due="due_at", order=BY_WORTH.format("visits", "%(now)s"))
PAYING_ONLY = _CLAIM.format(due="due_at <= %(now)s and pays_at", order="pays_at")
"""Paying fetches are due by `pays_at` at the latest, so the index finds the few that are due."""


def claim_fetches(
    store: OperationalStore, platform: str, limit: int, *, which: str = ALL_BY_TIME
) -> list[ClaimedFetch]:
    """Claim up to `limit` due account fetches, the longest due first.

    `which` is one of the statements above. Raises WrongClockError.
    """
    now = store.clock()
    values = {"platform": platform, "now": now, "lease": LEASE, "limit": limit}
    with store.write_session() as session:
        refuse_wrong_clock(session)
        rows = driver_of(session).execute(which.encode(), values)
        due = sorted(rows.fetchall(), key=lambda row: row[-1])
    return [
        ClaimedFetch(subject, with_account, lease, claimed_at=now)
        for subject, with_account, lease, _ in due
    ]


def is_any_due(session: Session, now: datetime) -> bool:
    """Return whether an account fetch can be claimed at `now` (UTC)."""
    values = {"platforms": list(PLATFORMS), "now": now}
    return bool(driver_of(session).execute(_IS_ANY_DUE.encode(), values).fetchall()[0][0])


def due_posts(
    session: Session, platform: str, subjects: Collection[str], now: datetime
) -> Mapping[str, list[DuePost]]:
    """Return due posts by subject, an empty list if only the account is due."""
    values = {"platform": platform, "subjects": list(subjects), "now": now}
    posts_by_subject: dict[str, list[DuePost]] = {subject: [] for subject in subjects}
    for subject, *post in driver_of(session).execute(_DUE_POSTS, values):
        posts_by_subject[subject].append(DuePost(*post))
    return posts_by_subject


def settle(
    store: OperationalStore,
    platform: str,
    account_fetches: Collection[ClaimedFetch],
    posts: Collection[str],
    failed: Collection[ClaimedFetch] = (),
) -> None:
    """Record finished account fetches and the posts they fetched, and schedule the next ones.

    The `failed` ones got no answer, or no request was made. They are due again after minutes, then
    after as long as they have been failing.

    Call this after the batch has landed. Registration records readings with their own instants.
    This records the instant of the claim, which no reading of the fetch precedes, so that only a
    post without a reading has a fetch later than its last reading.
    """
    if not account_fetches:
        return
    subjects = {account_fetch.subject for account_fetch in account_fetches}
    values = {
        "platform": platform,
        "now": min(account_fetch.claimed_at for account_fetch in account_fetches),
        "posts": list(posts),
        "accounts": [v.subject for v in account_fetches if v.with_account and v not in failed],
        "failed": [account_fetch.subject for account_fetch in failed],
    }
    with store.write_session() as session:
        lock_plan(session)
        driver = driver_of(session)
        elsewhere = {subject for (subject,) in driver.execute(_NOTE_POSTS, values)}
        driver.execute(_NOTE_ACCOUNT_FETCHES, values)
        driver.execute(_NOTE_FAILURES, values)
        driver.execute(_RELEASE, _leases(platform, account_fetches))
        let_go_of_empty(session, platform, subjects)
        plan_subjects(session, platform, subjects | elsewhere)


def renew(
    store: OperationalStore, platform: str, account_fetches: Collection[ClaimedFetch]
) -> list[ClaimedFetch]:
    """Extend the leases that this worker still has. Returns all fetches, extended or not."""
    values = {**_leases(platform, account_fetches), "lease": LEASE}
    with store.write_session() as session:
        renewed: dict[str, datetime] = dict(driver_of(session).execute(_RENEW, values).fetchall())
    return [
        replace(account_fetch, lease=renewed.get(account_fetch.subject, account_fetch.lease))
        for account_fetch in account_fetches
    ]


def release(
    store: OperationalStore, platform: str, account_fetches: Collection[ClaimedFetch]
) -> None:
    """Return unused account fetches; they are due as before."""
    with store.write_session() as session:
        driver_of(session).execute(_RELEASE, _leases(platform, account_fetches))


def _leases(platform: str, account_fetches: Collection[ClaimedFetch]) -> Mapping[str, object]:
    return {
        "platform": platform,
        "subjects": [account_fetch.subject for account_fetch in account_fetches],
        "leases": [account_fetch.lease for account_fetch in account_fetches],
    }
