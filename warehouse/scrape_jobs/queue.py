"""The queue of requested scrapes: enqueueing, claiming, giving up.

Registration finishes a claimed job with the batch of its fetches. Leases use PostgreSQL's clock;
instants shown to people are business time.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from random import SystemRandom
from uuid import UUID

from sqlalchemy import and_, func, or_, select, tuple_
from sqlalchemy.orm import Session

from warehouse.operational.audit_many import insert_many
from warehouse.operational.base import business_now
from warehouse.operational.clock import clock_of_database, refuse_wrong_clock
from warehouse.operational.leases import FETCH_LEASE, LONGEST_FETCH_LEASE, Queue
from warehouse.operational.models import Account, ScrapeJob, Video
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore
from warehouse.registration.scrapable import scrapable_account, scrapable_video
from warehouse.scrape_jobs.claimable import is_ready, next_ids
from warehouse.scrape_jobs.pauses import LONGEST_PAUSE

_spread = SystemRandom().uniform
WAIT = timedelta(minutes=15)
"""How long a job waits after a rate limit or an unreachable platform."""
LONGEST_WAIT = timedelta(days=1)
"""Maximum age of such a job. An older one fails (`may_wait`)."""
_QUEUE = Queue(
    ScrapeJob, ScrapeJob.lease_expires_at, FETCH_LEASE, ScrapeJob.attempts, LONGEST_FETCH_LEASE
)
MOST_ATTEMPTS = 5
NO_LONGER_TRACKED = "what was to be scraped is no longer tracked"
NEVER_FINISHED = f"no worker finished it in {MOST_ATTEMPTS} attempts"
STILL_PAUSED = "its routes were still paused a day after it was requested"
PAIR = {"creator_profiles": "discover_videos", "discover_videos": "creator_profiles"}
"""One account fetch serves both."""


def enqueue(
    session: WriteSession,
    *,
    job_type: str,
    account: Account | None = None,
    video: Video | None = None,
    is_manual: bool = False,
) -> ScrapeJob:
    """Queue a fetch of an account or a post (exactly one of them). Its id is set on return."""
    target = account or video
    if target is None or (account and video):
        raise ValueError("a scrape job needs either an account or a video")
    job = ScrapeJob(
        organization_id=target.organization_id,
        project_id=target.project_id,
        account_id=account and account.id,
        video_id=video and video.id,
        job_type=job_type,
        is_manual=is_manual,
    )
    session.add(job)
    session.flush()
    return job


def enqueue_all(session: WriteSession, fetches: Sequence[tuple[str, Account | Video]]) -> None:
    """Queue many fetches, each a job type and its account or post, in this order."""
    jobs = [
        {
            "organization_id": target.organization_id,
            "project_id": target.project_id,
            "account_id": target.id if isinstance(target, Account) else None,
            "video_id": target.id if isinstance(target, Video) else None,
            "job_type": job_type,
        }
        for job_type, target in fetches
    ]
    insert_many(session, ScrapeJob, jobs)


def claim(
    store: OperationalStore, limit: int, *, platform: str | None = None
) -> Sequence[ScrapeJob]:
    """Claim up to `limit` jobs for FETCH_LEASE.

    Organizations take turns, each with its oldest job first. Jobs of one account or post wait for
    each other, as they would fetch the same, except PAIR, which is claimed together beyond `limit`.
    Impossible jobs fail: their target is no longer tracked, or too many workers did not finish
    them. An empty list means that none can be claimed. Raises WrongClockError.
    """
    with store.write_session() as session:
        refuse_wrong_clock(session)
        now = clock_of_database(session)
        while next_jobs := _lock_next(session, limit, platform, now):
            jobs = [*_with_pairs(session, next_jobs, now)]
            doomed = _reasons_to_give_up(session, jobs)
            for job in jobs:
                if job.id in doomed:
                    _give_up(session, job, doomed[job.id])
            if claimed := _QUEUE.lease([job for job in jobs if job.id not in doomed], now):
                for job in claimed:
                    job.status = "running"
                    job.started_at = business_now(session)
                return claimed
    return []


def _lock_next(
    session: WriteSession, limit: int, platform: str | None, now: datetime
) -> Sequence[ScrapeJob]:
    """Lock and return the next claimable jobs, at most `limit`; skip locked ones."""
    ids = session.scalars(next_ids(platform)).all()
    for first in range(0, len(ids), limit):
        positions = {each: at for at, each in enumerate(ids[first : first + limit])}
        some = select(ScrapeJob).where(ScrapeJob.id.in_(positions), is_ready())
        if jobs := session.scalars(_QUEUE.free(some, now)).all():
            return sorted(jobs, key=lambda job: positions[job.id])
    return []


def put_back(store: OperationalStore, jobs: Collection[ScrapeJob], wait_seconds: float) -> None:
    """Queue claimed jobs again, after a pause that the platform requested (0: none); old ones fail.

    They wait for LONGEST_PAUSE at most. This counts as no attempt. Jobs that ended or that another
    worker has claimed are skipped.
    """
    with store.write_session() as session:
        until = clock_of_database(session) + min(timedelta(seconds=wait_seconds), LONGEST_PAUSE)
        for job in _QUEUE.release(session, jobs):
            if wait_seconds:
                _wait_or_fail(session, job, until)
            else:
                let_wait(job, job.not_before)


def put_off(store: OperationalStore, jobs: Collection[ScrapeJob], pause_seconds: float) -> None:
    """Queue claimed jobs again for which nothing was requested in a pause; old ones fail.

    They wait until the pause ends. In a longer outage they wait for a quarter of their age, WAIT at
    most, since each claim may start a run. Up to a quarter more spreads them.
    """
    with store.write_session() as session:
        now = clock_of_database(session)
        for job in _QUEUE.release(session, jobs):
            age = business_now(session) - job.created_at
            wait = min(max(timedelta(seconds=pause_seconds), age / 4), WAIT)
            _wait_or_fail(session, job, now + wait * _spread(1, 1.25))


def renew(store: OperationalStore, jobs: Collection[ScrapeJob]) -> set[UUID]:
    """Extend the leases of claimed jobs that this worker still has; return the lost jobs' ids.

    Each claim counts an attempt, so a job that another worker has ended is lost too, while one
    that this worker's batches ended is not. One that another is claiming now has a past end.
    """
    _QUEUE.renew(store, jobs)
    is_ours = tuple_(ScrapeJob.id, ScrapeJob.attempts).in_([(job.id, job.attempts) for job in jobs])
    lost = select(ScrapeJob.id).where(
        ScrapeJob.id.in_([job.id for job in jobs]),
        or_(~is_ours, ScrapeJob.status == "queued", ScrapeJob.lease_expires_at <= func.now()),
    )
    with store.read_session() as session:
        return set(session.scalars(lost))


def may_wait(job: ScrapeJob, now: datetime) -> bool:
    """Return whether a claimed job may wait for its platform at `now` (business time).

    An older one than LONGEST_WAIT waits once: no worker may have claimed it before.
    """
    return job.not_before is None or now - job.created_at < LONGEST_WAIT


def _wait_or_fail(session: Session, job: ScrapeJob, until: datetime) -> None:
    if may_wait(job, business_now(session)):
        let_wait(job, until)
    else:
        _give_up(session, job, STILL_PAUSED)


def let_wait(job: ScrapeJob, until: datetime | None) -> None:
    """Queue a claimed job again, not before `until`. This counts as no attempt."""
    job.status = "queued"
    job.attempts = max(0, job.attempts - 1)
    job.lease_expires_at = None
    job.not_before = until


def _with_pairs(session: Session, jobs: Sequence[ScrapeJob], now: datetime) -> Iterator[ScrapeJob]:
    """Yield the jobs, each followed by the oldest that makes it a PAIR, queued for now or later."""
    accounts = [job.account_id for job in jobs if job.job_type in PAIR]
    is_queued = ScrapeJob.status == "queued"
    of_accounts = and_(ScrapeJob.account_id.in_(accounts), ScrapeJob.job_type.in_([*PAIR]))
    queued = (
        select(ScrapeJob)
        .where(is_queued, of_accounts)
        .order_by(ScrapeJob.created_at.desc(), ScrapeJob.id.desc())
    )
    free = session.scalars(_QUEUE.free(queued, now))
    pair_of = {(job.account_id, PAIR[job.job_type]): job for job in free}
    for job in jobs:
        yield job
        if pair := pair_of.get((job.account_id, job.job_type)):
            yield pair


def _reasons_to_give_up(session: Session, jobs: Sequence[ScrapeJob]) -> dict[UUID, str]:
    accounts = select(Account.id).where(
        Account.id.in_([job.account_id for job in jobs]), scrapable_account()
    )
    videos = select(Video.id).where(Video.id.in_([job.video_id for job in jobs]), scrapable_video())
    tracked = {*session.scalars(accounts), *session.scalars(videos)}
    reasons = {job.id: NEVER_FINISHED for job in jobs if job.attempts >= MOST_ATTEMPTS}
    for job in jobs:
        if (job.account_id or job.video_id) not in tracked:
            reasons[job.id] = NO_LONGER_TRACKED
    return reasons


def _give_up(session: Session, job: ScrapeJob, reason: str) -> None:
    job.status = "failed"
    job.error = reason
    job.finished_at = business_now(session)
    job.lease_expires_at = None
