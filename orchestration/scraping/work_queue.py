"""The account fetches of a crawl of one platform: scrape jobs, all accounts, remaining posts.

Turns jobs and targets of `warehouse.scrape_jobs` into account fetches. A crawl fetches each
account once, and no post that it has already read.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice, starmap, takewhile
from uuid import UUID

from sqlalchemy.orm import Session

from orchestration.scraping.account_fetches import Fetcher, post_target
from orchestration.scraping.crawl import AccountFetch, ReadPosts
from orchestration.scraping.fetches import Fetch
from orchestration.scraping.listing import CutListing
from orchestration.scraping.refresh import Refresh, unread_posts
from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget, DuePost, PageCursor, PostTarget
from scrapers.transport.breaker import SECONDS_OPEN
from warehouse.clock import Clock, system_clock
from warehouse.operational.models import ScrapeJob
from warehouse.operational.store import OperationalStore
from warehouse.scrape_jobs import targets, video_targets
from warehouse.scrape_jobs.queue import claim, put_off, renew
from warehouse.scrape_jobs.targets import AccountToScrape

JobFetch = tuple[set[UUID], AccountFetch]
"""An account fetch with the jobs that it serves."""
JOBS_AT_A_TIME = 50
"""How many jobs to claim: few enough to finish within their lease at the politest pace."""
BEGUN_WITHIN = timedelta(minutes=5)
"""No further account fetch of a slice, or of claimed jobs, begins before paying fetches that have
become due meanwhile. They are due 11 to 15 minutes before a period ends."""


class WorkQueue:
    """Account fetches of one crawl, in three groups; call the methods in order.

    `real_clock` is compared with leases.
    """

    def __init__(
        self,
        store: OperationalStore,
        platform: str,
        fetcher: Fetcher,
        real_clock: Clock = system_clock,
    ) -> None:
        self._store = store
        self._claim = partial(claim, store, JOBS_AT_A_TIME, platform=platform)
        self._platform = platform
        self._fetcher = fetcher
        self._real_clock = real_clock
        self._fetched: set[str] = set()
        self.claimed: dict[UUID, ScrapeJob] = {}
        """Claimed jobs, by id."""
        self._under_way: Sequence[ScrapeJob] = []
        self._lost: set[UUID] = set()
        self._put_off: set[UUID] = set()
        self._is_late = False

    def claim_fetches(self, landed: set[UUID]) -> Iterator[Iterator[AccountFetch]]:
        """Claim jobs and yield their account fetches until the queue is empty.

        Removes claimed jobs from `landed`: one that has waited has landed before.
        Those that did not begin within BEGUN_WITHIN are yielded next.
        """
        while jobs := self._claim():
            self.claimed.update((job.id, job) for job in jobs)
            landed.difference_update(job.id for job in jobs)
            self._under_way, self._lost, self._put_off = jobs, set(), set()
            with self._store.read_session() as session:
                account_fetches = [
                    *self._of_accounts(session, jobs),
                    *self._of_posts(session, jobs),
                ]
            leased = takewhile(lambda _account_fetch: self._are_leased(), account_fetches)
            ours = (partial(self._while_ours, *each) for each in leased if each[0] - self._lost)
            self._is_late = True
            while self._is_late:
                self._is_late = False
                yield self._in_time(ours)
            if self._put_off:
                unsent = [job for job in jobs if job.id in self._put_off]
                put_off(self._store, unsent, SECONDS_OPEN)

    def _in_time(self, account_fetches: Iterator[AccountFetch]) -> Iterator[AccountFetch]:
        """Yield those that begin within BEGUN_WITHIN."""
        until = self._store.clock() + BEGUN_WITHIN
        while self._store.clock() <= until:
            if (account_fetch := next(account_fetches, None)) is None:
                return
            yield account_fetch
        self._is_late = True

    async def _while_ours(
        self, job_ids: set[UUID], account_fetch: AccountFetch
    ) -> AsyncIterator[Fetch]:
        """Make an account fetch until its lease ends or other workers have all of its jobs.

        Single posts go on: one request reads a group, and other workers no longer fetch new posts
        that this list showed. A failure after the lease ends no job: another worker may have
        claimed it. A fetch that a pause put off ends none either.
        """
        async for fetch in account_fetch():
            is_ours = fetch.job_id not in self._lost and self._are_leased()
            if fetch.is_put_off and fetch.job_id:
                self._put_off.add(fetch.job_id)
            is_end = is_ours and not fetch.is_put_off
            is_result = is_end or fetch.report.outcome is Outcome.OK
            yield fetch if is_result else replace(fetch, job_id=None)
            is_left = not self._are_leased() or job_ids <= self._lost
            if is_left and fetch.job_type != "video_stats":
                return

    def _are_leased(self) -> bool:
        """Return whether the last claimed jobs are ours by their latest lease, or leave them."""
        ends = [job.lease_expires_at for job in self._under_way if job.lease_expires_at]
        if not ends or self._real_clock() >= max(ends):
            self._under_way = []
        return bool(self._under_way)

    def renew(self) -> None:
        """Extend the lease on the last claimed jobs that have not ended, and note lost ones."""
        self._lost = renew(self._store, self._under_way)

    def accounts(self, now: datetime) -> Iterator[AccountFetch]:
        """Yield all tracked accounts that were not fetched for a job."""
        with self._store.read_session() as session:
            due = targets.scheduled_accounts(session, now)
        for account in due:
            if account.platform == self._platform and account.handle not in self._fetched:
                yield self._account(account)

    def posts(self, read: ReadPosts) -> Iterator[AccountFetch]:
        """Yield all tracked posts that this crawl has not `read` in lists."""
        with self._store.read_session() as session:
            due = video_targets.scheduled_videos(session)
        left = (
            post_target(video)
            for video in due
            if video.platform == self._platform and not read.has(video)
        )
        for posts in self._together(left):
            yield partial(self._fetcher.posts, posts)

    def _of_accounts(self, session: Session, jobs: Sequence[ScrapeJob]) -> Iterator[JobFetch]:
        """Yield fetches of accounts for jobs; one serves the jobs for profile and posts."""
        profile_jobs = _by_account(jobs, "creator_profiles")
        posts_jobs = _by_account(jobs, "discover_videos")
        accounts = targets.load_requested_accounts(session, profile_jobs.keys() | posts_jobs.keys())
        for account_id, account in accounts.items():
            profile_job = profile_jobs.get(account_id)
            if posts_job := posts_jobs.get(account_id):
                fetch = self._account(account, profile_job=profile_job, posts_job=posts_job)
                yield {posts_job, profile_job or posts_job}, fetch
            elif profile_job:
                yield self._profile(account, profile_job)

    def _of_posts(self, session: Session, jobs: Sequence[ScrapeJob]) -> Iterator[JobFetch]:
        """Yield fetches of posts for jobs: one post, or all posts of an account."""
        single = [(job.video_id, job.id) for job in jobs if job.video_id]
        videos = video_targets.load_requested_videos(session, [video_id for video_id, _ in single])
        for video_id, job_id in single:
            if video_id in videos:
                target = post_target(videos[video_id])
                yield {job_id}, partial(self._fetcher.post, target, job_id=job_id)
        by_account = _by_account(jobs, "video_stats")
        accounts = targets.load_requested_accounts(session, by_account.keys())
        posts = video_targets.videos_of_accounts(session, by_account.keys())
        for account_id, account in accounts.items():
            job_id = by_account[account_id]
            unread = unread_posts(posts[account_id], self.claimed[job_id].created_at)
            groups = [*self._together(map(post_target, unread))]
            refresh = Refresh(job_id, len(groups))
            for some in groups:
                yield {job_id}, partial(self._group, some, refresh)
            if not groups:  # no posts: fetch the profile instead
                yield self._profile(account, job_id)

    async def _group(self, posts: Sequence[PostTarget], refresh: Refresh) -> AsyncIterator[Fetch]:
        """Fetch a group of a job's posts, unless it ended; the last fetch of all ends it."""
        if refresh.has_ended:
            return
        fetches: list[Fetch] = []
        async for fetch in self._fetcher.posts(posts):
            fetches.append(fetch)
            ends = len(fetches) == len(posts) and refresh.ends_with(fetches)
            yield replace(fetch, job_id=refresh.job_id) if ends or fetch.is_put_off else fetch

    def _profile(self, account: AccountToScrape, job_id: UUID) -> JobFetch:
        return {job_id}, partial(self._fetcher.profile, account_target(account), job_id=job_id)

    def _together(self, posts: Iterable[PostTarget]) -> Iterator[list[PostTarget]]:
        """Yield posts in groups of one account fetch."""
        waiting = iter(posts)
        while some := list(islice(waiting, self._fetcher.posts_at_once)):
            yield some

    def _account(
        self,
        account: AccountToScrape,
        *,
        profile_job: UUID | None = None,
        posts_job: UUID | None = None,
    ) -> AccountFetch:
        self._fetched.add(account.handle)
        return partial(
            self._fetcher.account,
            account_target(account),
            since=account.since,
            known=account.known,
            searched_at=account.searched_at,
            undated=account.undated,
            cut=cut_listing(account),
            profile_job=profile_job,
            posts_job=posts_job,
        )


def _by_account(jobs: Sequence[ScrapeJob], job_type: str) -> dict[UUID, UUID]:
    """Return the jobs of a type; at most one for each account is claimed."""
    return {job.account_id: job.id for job in jobs if job.account_id and job.job_type == job_type}


def account_target(account: AccountToScrape) -> AccountTarget:
    return AccountTarget(
        platform=account.platform,
        handle=account.handle,
        platform_user_id=account.platform_user_id,
        platform_alt_id=account.platform_alt_id,
        known_post=account.newest_post,
        due=None if account.due is None else tuple(starmap(DuePost, account.due.items())),
    )


def cut_listing(account: AccountToScrape) -> CutListing | None:
    """Return where the listing of an account's posts was cut, or None."""
    if account.cut is None:
        return None
    return CutListing(
        page_cursor=PageCursor(account.cut.provider, account.cut.cursor),
        began_at=account.cut.began_at,
        pages=account.cut.pages,
        posts=account.listed,
    )
