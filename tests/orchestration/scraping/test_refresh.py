"""A requested refresh of all posts of an account: killed, cut off, and refused."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from uuid import UUID

import pytest

from orchestration.running.progress import silent
from orchestration.scraping.account_fetches import Fetcher
from orchestration.scraping.crawl import Buffer, Tally, crawl
from orchestration.scraping.work_queue import WorkQueue
from orchestration.scraping.worker import Scope, fetch_platform
from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget, PostTarget, ScrapeReport
from tests.factories.tracking import Customer, change
from tests.orchestration.own_provider import COUNTED, OwnProvider
from tests.orchestration.scraping.test_work_queue import queue_for
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import ScrapeJob
from warehouse.registration.register import register_one
from warehouse.scrape_jobs.queue import STILL_PAUSED
from warehouse.settings import Settings

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
POSTS = ["1", "2", "3", "4", "5"]


@dataclass
class Counting(OwnProvider):
    """Records the posts that it reads; later fetches have another outcome, or never end."""

    reads: int = 5
    then: Outcome | None = None
    was_sent: bool = True
    requested: list[str] = field(default_factory=list)
    is_stuck: asyncio.Event = field(default_factory=asyncio.Event)

    async def post(self, target: PostTarget) -> ScrapeReport:
        self.requested.append(target.platform_video_id)
        if len(self.requested) <= self.reads:
            now = datetime.now(UTC)
            video = replace(COUNTED, platform_video_id=self.requested[-1], captured_at=now)
            return ScrapeReport(outcome=Outcome.OK, source="own", videos=(video,))
        if self.then is None:
            self.is_stuck.set()
            await asyncio.Event().wait()
        return self._report()

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        return await super().profile(target) if self.was_sent else self._report()

    def _report(self) -> ScrapeReport:
        outcome = self.then or Outcome.OK
        return ScrapeReport(outcome=outcome, source="own", was_sent=self.was_sent)


Work = Callable[[Counting], asyncio.Task[None]]
Worker = Callable[[Counting], asyncio.Task[Tally]]


@pytest.fixture
def job(customer: Customer, monkeypatch: pytest.MonkeyPatch) -> UUID:
    """A job for five posts; batches have two fetches, and three refusals in a row end a job."""
    monkeypatch.setattr("orchestration.scraping.crawl.FETCHES_PER_BATCH", 2)
    monkeypatch.setattr("orchestration.scraping.refresh.MOST_REFUSALS", 3)
    account = customer.account("demo")
    for video_id in POSTS:
        customer.video(video_id, account=account)
    return queue_for(customer.store, account, "video_stats")


@pytest.fixture
def work(customer: Customer, settings: Settings) -> Work:
    landing = open_landing(settings)

    def begin(provider: Counting) -> asyncio.Task[None]:
        work_queue = WorkQueue(
            customer.store, "tiktok", Fetcher(provider, lambda: datetime.now(UTC))
        )
        register = partial(register_one, customer.store, landing)
        buffer = Buffer(LandingWriter(landing), lambda _fetch: None, register)
        jobs = next(work_queue.claim_fetches(set()))
        return asyncio.create_task(crawl(jobs, buffer, concurrency=1, renew=work_queue.renew))

    return begin


@pytest.fixture
def worker(customer: Customer, settings: Settings) -> Worker:
    def begin(provider: Counting) -> asyncio.Task[Tally]:
        @asynccontextmanager
        async def opening(*_: object) -> AsyncIterator[Counting]:
            yield provider

        scope = Scope.NOTHING
        work = fetch_platform(settings, customer.store, "tiktok", opening, silent, scope)
        return asyncio.create_task(work)

    return begin


def read_job(customer: Customer, job: UUID) -> ScrapeJob:
    with customer.store.read_session() as session:
        return session.get_one(ScrapeJob, job)


async def test_another_worker_continues_after_a_killed_ones_last_landing(
    customer: Customer, job: UUID, work: Work
) -> None:
    killed, other = Counting(reads=2), Counting()
    task = work(killed)
    await killed.is_stuck.wait()
    change(customer.store, ScrapeJob, job, lease_expires_at=LONG_AGO)
    await work(other)
    task.cancel()
    ended = read_job(customer, job)
    assert (killed.requested, other.requested) == (POSTS[:3], POSTS[2:])
    assert (ended.status, ended.videos_seen, ended.attempts) == ("succeeded", 5, 2)


async def test_a_worker_that_is_stopped_leaves_its_jobs_to_others_at_once(
    customer: Customer, worker: Worker, job: UUID
) -> None:
    """An upgrade stops all workers: jobs would wait for their lease, and fail after five."""
    stopped, other = Counting(reads=2), Counting()
    task = worker(stopped)
    await stopped.is_stuck.wait()  # the first batch is landing
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    waiting = read_job(customer, job)
    assert (waiting.status, waiting.attempts) == ("queued", 0)
    await worker(other)
    ended = read_job(customer, job)
    assert (other.requested, ended.status, ended.videos_seen) == (POSTS[2:], "succeeded", 5)


async def test_jobs_for_one_account_fetch_each_post_once(
    customer: Customer, worker: Worker, job: UUID
) -> None:
    """Otherwise two workers, or one in sequence, fetch all posts for each job."""
    account = read_job(customer, job).account_id
    assert account
    jobs = [job, queue_for(customer.store, account, "video_stats")]

    class Repeating(Counting):
        async def post(self, target: PostTarget) -> ScrapeReport:
            if len(jobs) == 2:  # requested while the first one runs
                jobs.append(queue_for(customer.store, account, "video_stats"))
            return await super().post(target)

    providers = Repeating(), Repeating()
    await asyncio.gather(*map(worker, providers))
    assert sorted(chain(*(provider.requested for provider in providers))) == POSTS
    ended = [read_job(customer, each) for each in jobs]
    assert [(each.status, each.videos_seen) for each in ended] == [("succeeded", 5)] * 3


async def test_posts_that_a_list_showed_since_the_request_are_not_fetched_again(
    customer: Customer, worker: Worker, job: UUID
) -> None:
    class Listing(Counting):
        async def discover(
            self, target: AccountTarget, *, since: datetime, known: Collection[str]
        ) -> ScrapeReport:
            now = datetime.now(UTC)
            posts = [replace(COUNTED, platform_video_id=each, captured_at=now) for each in POSTS]
            return ScrapeReport(
                outcome=Outcome.OK, source="own", videos=tuple(posts), reached_known=True
            )

    account = read_job(customer, job).account_id
    assert account
    queue_for(customer.store, account, "discover_videos")
    change(customer.store, ScrapeJob, job, created_at=datetime.now(UTC))  # after the other
    provider = Listing()
    await worker(provider)
    ended = read_job(customer, job)
    assert (len(provider.requested), ended.status, ended.videos_seen) == (1, "succeeded", 5)


async def test_a_platform_that_refuses_all_posts_ends_the_job_early(
    customer: Customer, job: UUID, work: Work
) -> None:
    provider = Counting(reads=0, then=Outcome.CHALLENGED)
    await work(provider)
    ended = read_job(customer, job)
    assert (provider.requested, ended.status, ended.error) == (POSTS[:3], "failed", "challenged")


async def test_a_refresh_ended_by_refusals_reports_the_unread_posts(
    customer: Customer, job: UUID, work: Work
) -> None:
    await work(Counting(reads=1, then=Outcome.CHALLENGED))
    ended = read_job(customer, job)
    assert (ended.status, ended.videos_seen) == ("succeeded", 1)
    assert ended.error == "posts not read: 4; challenged"


async def test_after_an_outage_the_job_continues_with_the_other_posts(
    customer: Customer, job: UUID, work: Work
) -> None:
    away, back = Counting(reads=1, then=Outcome.UNREACHABLE), Counting()
    await work(away)
    waiting = read_job(customer, job)
    assert (away.requested, waiting.status) == (POSTS[:4], "queued")
    change(customer.store, ScrapeJob, job, not_before=LONG_AGO)
    await work(back)
    ended = read_job(customer, job)
    assert (back.requested, ended.status, ended.videos_seen) == (POSTS[1:], "succeeded", 5)


async def test_jobs_wait_for_our_own_pause_for_a_day(
    customer: Customer, worker: Worker, job: UUID
) -> None:
    """Reports without a request say nothing about a post or an account."""
    new = customer.account("new")
    jobs = [
        job,
        *(queue_for(customer.store, new, of) for of in ("creator_profiles", "discover_videos")),
    ]
    paused, back = Counting(reads=1, then=Outcome.CHALLENGED, was_sent=False), Counting()
    await worker(paused)
    waiting = [read_job(customer, each) for each in jobs]
    assert [(each.status, each.attempts, each.error) for each in waiting] == [
        ("queued", 0, None)
    ] * 3
    assert all(each.not_before for each in waiting)
    assert len(paused.requested) < len(POSTS)
    for each in jobs:
        change(customer.store, ScrapeJob, each, not_before=LONG_AGO)
    change(customer.store, ScrapeJob, jobs[2], created_at=LONG_AGO)
    await worker(replace(paused, requested=[], reads=0))
    assert read_job(customer, jobs[2]).error == STILL_PAUSED
    change(customer.store, ScrapeJob, job, not_before=LONG_AGO)
    await worker(back)
    ended = read_job(customer, job)
    assert (back.requested, ended.status, ended.videos_seen) == (POSTS[1:], "succeeded", 5)
