"""What a crawl fetches: jobs first, each account once, no post twice."""

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain
from uuid import UUID

import pytest

from orchestration.scraping.account_fetches import Fetcher
from orchestration.scraping.crawl import AccountFetch, Buffer, ReadPosts, crawl
from orchestration.scraping.fetches import Fetch
from orchestration.scraping.patience import Patience
from orchestration.scraping.work_queue import WorkQueue
from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget, PageCursor, PostTarget, ScrapeReport
from tests.factories.tracking import Customer, change
from tests.orchestration.own_provider import COUNTED, NOON, OwnProvider
from warehouse.fetch_schedule.changes import plan_changes
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.leases import FETCH_LEASE
from warehouse.operational.models import Account, ScrapeJob, Video
from warehouse.operational.store import OperationalStore
from warehouse.registration.register import register_one
from warehouse.scrape_jobs.queue import claim, enqueue
from warehouse.settings import Settings


@dataclass
class ManyAtOnce(OwnProvider):
    """A provider that reads three posts per request; the last is fetched alone."""

    posts_a_call: int = 3
    calls: list[list[PostTarget]] = field(default_factory=list)

    async def post(self, target: PostTarget) -> ScrapeReport:
        self.calls.append([target])
        return await super().post(target)

    async def counters(self, targets: list[PostTarget]) -> list[ScrapeReport]:
        self.calls.append(targets)
        return [await super(ManyAtOnce, self).post(target) for target in targets]


class LastUnavailable(OwnProvider):
    """Reads every post but the fifth."""

    async def post(self, target: PostTarget) -> ScrapeReport:
        if target.platform_video_id == "5":
            return ScrapeReport(outcome=Outcome.POST_UNAVAILABLE, source="own")
        video = replace(
            COUNTED, platform_video_id=target.platform_video_id, captured_at=datetime.now(UTC)
        )
        return ScrapeReport(outcome=Outcome.OK, source="own", videos=(video,))


class Pausing(OwnProvider):
    """Requests a pause before the first post."""

    async def post(self, target: PostTarget) -> ScrapeReport:
        wait = 60 if target.platform_video_id == "1" else None
        return ScrapeReport(outcome=Outcome.RATE_LIMITED, source="own", wait_seconds=wait)


@dataclass
class PausingOnce(LastUnavailable):
    """Requests a long pause once."""

    pauses_before: int = 1
    asked: int = 0

    async def post(self, target: PostTarget) -> ScrapeReport:
        self.asked += 1
        if self.asked == self.pauses_before:
            return ScrapeReport(outcome=Outcome.RATE_LIMITED, source="own", wait_seconds=900)
        return await super().post(target)


@pytest.fixture
def work_queue(store: OperationalStore) -> WorkQueue:
    return WorkQueue(store, "tiktok", Fetcher(OwnProvider(), lambda: NOON))


@pytest.fixture
def account(customer: Customer) -> UUID:
    return customer.account("demo")


def queue_for(store: OperationalStore, account: UUID, job_type: str) -> UUID:
    with store.write_session() as session:
        return enqueue(session, job_type=job_type, account=session.get_one(Account, account)).id


async def fetch_all(account_fetches: Iterable[AccountFetch]) -> list[Fetch]:
    return [fetch for account_fetch in account_fetches async for fetch in account_fetch()]


async def claim_fetches(work_queue: WorkQueue) -> list[Fetch]:
    return await fetch_all(chain.from_iterable(work_queue.claim_fetches(set())))


def jobs_of(fetches: list[Fetch]) -> list[tuple[str, UUID | None]]:
    return [(fetch.job_type, fetch.job_id) for fetch in fetches]


class TestAskedFor:
    async def test_one_account_fetch_serves_the_jobs_for_profile_and_posts(
        self, customer: Customer, account: UUID, work_queue: WorkQueue
    ) -> None:
        profile_job = queue_for(customer.store, account, "creator_profiles")
        posts_job = queue_for(customer.store, account, "discover_videos")
        fetches = await claim_fetches(work_queue)
        jobs = [("creator_profiles", profile_job), ("discover_videos", posts_job)]
        assert jobs_of(fetches) == jobs
        assert await fetch_all(work_queue.accounts(NOON)) == []

    async def test_a_counters_job_of_an_account_fetches_all_its_posts(
        self, customer: Customer, account: UUID, work_queue: WorkQueue
    ) -> None:
        for video_id in ("1", "2"):
            customer.video(video_id, account=account)
        job = queue_for(customer.store, account, "video_stats")
        fetches = await claim_fetches(work_queue)
        assert jobs_of(fetches) == [("video_stats", None), ("video_stats", job)]

    async def test_a_job_for_many_posts_ends_with_the_last_of_them(
        self,
        customer: Customer,
        account: UUID,
        settings: Settings,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Until then it is leased, and another worker claims it if this one is killed."""
        monkeypatch.setattr("orchestration.scraping.crawl.FETCHES_PER_BATCH", 2)
        for video_id in ("1", "2", "3", "4", "5"):
            customer.video(video_id, account=account)
        job_id = queue_for(customer.store, account, "video_stats")
        landing, states = open_landing(settings), list[tuple[str, int | None]]()
        fetcher = Fetcher(LastUnavailable(), lambda: datetime.now(UTC))
        work_queue = WorkQueue(customer.store, "tiktok", fetcher)

        def renew() -> None:
            work_queue.renew()
            with customer.store.read_session() as session:
                job = session.get_one(ScrapeJob, job_id)
                states.append((job.status, job.videos_seen))

        register = partial(register_one, customer.store, landing)
        buffer = Buffer(LandingWriter(landing), lambda _fetch: None, register)
        await crawl(next(work_queue.claim_fetches(set())), buffer, concurrency=1, renew=renew)
        assert states == [("running", None), ("running", None), ("succeeded", 4)]

    async def test_during_a_pause_the_lease_is_extended_and_earlier_posts_land(
        self,
        customer: Customer,
        account: UUID,
        settings: Settings,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """A pause may last longer than the lease: another worker would fetch the same again."""
        for every in ("LANDS_EVERY", "EXTENDS_EVERY"):
            monkeypatch.setattr(f"orchestration.scraping.crawl.{every}", 0.05)
        videos = [customer.video(video_id, account=account) for video_id in ("1", "2")]
        job_id = queue_for(customer.store, account, "video_stats")

        def progress() -> tuple[datetime | None, int]:
            with customer.store.read_session() as session:
                job = session.get_one(ScrapeJob, job_id)
                landed = [session.get_one(Video, video).last_scraped_at for video in videos]
            return job.lease_expires_at, 2 - landed.count(None)

        async def pause(_seconds: float) -> None:
            before, _read = now, read = progress()
            async with asyncio.timeout(20):
                while before == now or not read:
                    await asyncio.sleep(0.01)
                    now, read = progress()

        landing, provider = open_landing(settings), PausingOnce(pauses_before=2)
        fetcher = Fetcher(provider, lambda: datetime.now(UTC), Patience(901, sleep=pause))
        work_queue = WorkQueue(customer.store, "tiktok", fetcher)
        register = partial(register_one, customer.store, landing)
        buffer = Buffer(LandingWriter(landing), lambda _fetch: None, register)
        jobs = next(work_queue.claim_fetches(set()))
        await crawl(jobs, buffer, concurrency=1, renew=work_queue.renew)
        assert (provider.asked, progress()) == (3, (None, 2))

    async def test_a_job_cut_off_by_a_pause_continues_later(
        self, customer: Customer, account: UUID
    ) -> None:
        for video_id in ("1", "2"):
            customer.video(video_id, account=account)
        queue_for(customer.store, account, "video_stats")
        work_queue = WorkQueue(customer.store, "tiktok", Fetcher(Pausing(), lambda: NOON))
        assert [job for _, job in jobs_of(await claim_fetches(work_queue))] == [None]

    async def test_without_posts_the_profile_answers_for_the_counters(
        self, customer: Customer, account: UUID, work_queue: WorkQueue
    ) -> None:
        job = queue_for(customer.store, account, "video_stats")
        assert jobs_of(await claim_fetches(work_queue)) == [("creator_profiles", job)]

    async def test_a_job_that_waited_and_is_claimed_again_has_not_landed(
        self, account: UUID, customer: Customer, work_queue: WorkQueue
    ) -> None:
        """Otherwise a worker that is stopped then keeps its lease."""
        landed = {queue_for(customer.store, account, "creator_profiles")}
        next(work_queue.claim_fetches(landed))
        assert landed == set()

    async def test_a_worker_that_was_stopped_leaves_the_rest_to_others(
        self, customer: Customer
    ) -> None:
        """They have claimed it since."""
        now = [datetime.now(UTC)]
        for handle in ("one", "two", "three"):
            queue_for(customer.store, customer.account(handle), "creator_profiles")
        fetcher = Fetcher(OwnProvider(), lambda: NOON)
        work_queue = WorkQueue(customer.store, "tiktok", fetcher, real_clock=lambda: now[0])
        account_fetches = next(work_queue.claim_fetches(set()))
        assert len(await fetch_all([next(account_fetches)])) == 1
        now[0] += FETCH_LEASE - timedelta(seconds=1)
        assert len(await fetch_all([next(account_fetches)])) == 1
        now[0] += timedelta(minutes=1)
        assert list(account_fetches) == []

    @pytest.mark.parametrize("is_ended", [False, True], ids=["running", "ended"])
    async def test_a_job_claimed_by_another_during_a_stall_is_left_to_it(
        self, customer: Customer, is_ended: bool
    ) -> None:
        """A job that the worker's own batch ended continues with its later posts."""
        jobs = [
            queue_for(customer.store, customer.account(handle), "creator_profiles")
            for handle in ("one", "two")
        ]
        account = customer.account("posts")
        for video_id in ("1", "2"):
            customer.video(video_id, account=account)
        of_posts = queue_for(customer.store, account, "video_stats")
        work_queue = WorkQueue(customer.store, "tiktok", Fetcher(OwnProvider(), lambda: NOON))
        account_fetches = next(work_queue.claim_fetches(set()))
        with customer.store.write_session() as session:  # the lease of the first ran out
            session.get_one(ScrapeJob, jobs[0]).lease_expires_at = datetime(2020, 1, 1, tzinfo=UTC)
        assert [job.id for job in claim(customer.store, 5)] == jobs[:1]
        with customer.store.write_session() as session:
            for job_id in [of_posts, *(jobs[:1] if is_ended else [])]:
                ended = session.get_one(ScrapeJob, job_id)
                ended.status, ended.lease_expires_at = "succeeded", None
        work_queue.renew()
        fetched = jobs_of(await fetch_all(account_fetches))
        assert [job for _type, job in fetched] == [jobs[1], None, of_posts]

    async def test_a_job_claimed_by_another_during_a_fetch_continues_only_there(
        self, customer: Customer, account: UUID, work_queue: WorkQueue
    ) -> None:
        jobs = [
            queue_for(customer.store, account, job_type)
            for job_type in ("creator_profiles", "discover_videos")
        ]

        async def lose(fetch: Fetch) -> Fetch:
            for job_id in jobs:
                change(customer.store, ScrapeJob, job_id, attempts=2)
            work_queue.renew()
            return fetch

        [account_fetch] = next(work_queue.claim_fetches(set()))
        fetches = [await lose(fetch) async for fetch in account_fetch()]
        assert [fetch.job_type for fetch in fetches] == ["creator_profiles"]

    async def test_posts_that_one_request_read_land_though_another_claimed_their_job(
        self, customer: Customer, account: UUID
    ) -> None:
        for video_id in ("1", "2", "3", "4"):
            customer.video(video_id, account=account)
        job, provider = queue_for(customer.store, account, "video_stats"), ManyAtOnce()
        work_queue = WorkQueue(customer.store, "tiktok", Fetcher(provider, lambda: NOON))
        account_fetches = next(work_queue.claim_fetches(set()))
        fetches = []
        async for fetch in next(account_fetches)():
            fetches.append(fetch)
            change(customer.store, ScrapeJob, job, attempts=2)
            work_queue.renew()
        assert jobs_of(fetches) == [("video_stats", None)] * 3
        assert (list(account_fetches), len(provider.calls)) == ([], 1)

    async def test_an_unrequested_post_puts_off_its_groups_job(
        self, customer: Customer, account: UUID
    ) -> None:
        class Selective(ManyAtOnce):
            async def counters(self, targets: list[PostTarget]) -> list[ScrapeReport]:
                first, _, *others = await super().counters(targets)
                paused = ScrapeReport(outcome=Outcome.CHALLENGED, source="own", was_sent=False)
                return [first, paused, *others]

        for video_id in ("1", "2", "3"):
            customer.video(video_id, account=account)
        job = queue_for(customer.store, account, "video_stats")
        work_queue = WorkQueue(customer.store, "tiktok", Fetcher(Selective(), lambda: NOON))
        assert jobs_of(await claim_fetches(work_queue)) == [("video_stats", None)] * 3
        with customer.store.read_session() as session:
            assert session.get_one(ScrapeJob, job).status == "queued"

    @pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.CHALLENGED])
    async def test_a_failure_after_the_lease_ends_no_job(
        self, customer: Customer, account: UUID, outcome: Outcome
    ) -> None:
        """Another worker may have claimed it; a success counts."""
        now = [datetime.now(UTC)]

        class Slow(OwnProvider):
            async def profile(self, target: AccountTarget) -> ScrapeReport:
                now[0] += FETCH_LEASE + timedelta(minutes=1)
                return replace(await super().profile(target), outcome=outcome)

        job = queue_for(customer.store, account, "creator_profiles")
        fetcher = Fetcher(Slow(), lambda: NOON)
        work_queue = WorkQueue(customer.store, "tiktok", fetcher, real_clock=lambda: now[0])
        [fetch] = await fetch_all(next(work_queue.claim_fetches(set())))
        assert fetch.job_id == (job if outcome is Outcome.OK else None)

    async def test_a_listing_stops_at_the_end_of_its_lease(
        self, customer: Customer, account: UUID
    ) -> None:
        """Another worker may continue from there, and both would pay."""
        now = [datetime.now(UTC)]

        class Pages(OwnProvider):
            async def discover(
                self, target: AccountTarget, *, since: datetime, known: Collection[str]
            ) -> ScrapeReport:
                self.targets.append(target)
                number = len(self.targets)
                if number == 3:  # asleep during the second page
                    now[0] += FETCH_LEASE + timedelta(minutes=1)
                post = replace(COUNTED, platform_video_id=str(number))
                goes_on = PageCursor("own", str(number)) if number < 6 else None
                return ScrapeReport(
                    outcome=Outcome.OK, source="own", videos=(post,), goes_on=goes_on
                )

        queue_for(customer.store, account, "discover_videos")
        provider = Pages()
        fetcher = Fetcher(provider, lambda: NOON)
        work_queue = WorkQueue(customer.store, "tiktok", fetcher, real_clock=lambda: now[0])
        [account_fetch] = next(work_queue.claim_fetches(set()))
        async for _fetch in account_fetch():
            work_queue.renew()
        assert len(provider.targets) == 3

    async def test_a_lost_job_that_is_claimed_again_is_fetched(
        self, customer: Customer, account: UUID, work_queue: WorkQueue
    ) -> None:
        job = queue_for(customer.store, account, "creator_profiles")
        batches = work_queue.claim_fetches(set())
        batch = next(batches)
        for is_other_s in (True, False):  # each lease runs out
            with customer.store.write_session() as session:
                session.get_one(ScrapeJob, job).lease_expires_at = datetime(2020, 1, 1, tzinfo=UTC)
            if is_other_s:
                assert [claimed.id for claimed in claim(customer.store, 5)] == [job]
                work_queue.renew()
                assert await fetch_all(batch) == []
        assert jobs_of(await fetch_all(next(batches))) == [("creator_profiles", job)]

    async def test_jobs_of_the_other_platform_are_left_to_its_crawl(
        self, customer: Customer, work_queue: WorkQueue
    ) -> None:
        other = customer.account("demo", platform="instagram")
        queue_for(customer.store, other, "creator_profiles")
        assert await claim_fetches(work_queue) == []


class TestScheduled:
    async def test_every_tracked_account_of_the_platform_is_fetched(
        self, customer: Customer, work_queue: WorkQueue
    ) -> None:
        for handle in ("one", "two"):
            customer.account(handle)
        customer.account("elsewhere", platform="instagram")
        customer.account("removed", is_active=False)
        fetches = await fetch_all(work_queue.accounts(NOON))
        assert {fetch.target.handle for fetch in fetches} == {"one", "two"}

    async def test_posts_are_read_together_where_the_provider_can(self, customer: Customer) -> None:
        account = customer.account("demo")
        for video_id in ("1", "2", "3", "4", "5"):
            read_at = NOON if video_id == "1" else None
            customer.video(video_id, account=account, last_scraped_at=read_at)
        provider = ManyAtOnce()
        work_queue = WorkQueue(customer.store, "tiktok", Fetcher(provider, lambda: NOON))
        fetches = await fetch_all(work_queue.posts(ReadPosts(counted={"3"})))
        assert [len(call) for call in provider.calls] == [3, 1]
        read = {post.platform_video_id for post in chain(*provider.calls) if post.was_read}
        assert read == {"1"}
        ids = [getattr(fetch.target, "platform_video_id", None) for fetch in fetches]
        assert sorted(map(str, ids)) == ["1", "2", "4", "5"]
        job = queue_for(customer.store, account, "video_stats")
        fetches = await claim_fetches(work_queue)
        assert jobs_of(fetches) == [*[("video_stats", None)] * 4, ("video_stats", job)]
        assert [len(call) for call in provider.calls] == [3, 1, 3, 2]

    @pytest.mark.parametrize("discovered_at", [None, datetime(2100, 1, 1, tzinfo=UTC)])
    async def test_an_account_target_has_a_known_post_to_detect_renaming(
        self, customer: Customer, work_queue: WorkQueue, discovered_at: datetime | None
    ) -> None:
        """Whether or not all posts before it were found."""
        account = customer.account("demo", last_discovered_at=discovered_at)
        for video_id in ("9", "100", "11"):
            customer.video(video_id, account=account)
        [fetch, *_] = await fetch_all(work_queue.accounts(NOON))
        assert getattr(fetch.target, "known_post", None) == "100"

    @pytest.mark.parametrize("job_type", ["creator_profiles", "discover_videos"])
    async def test_a_requested_account_target_has_a_known_post_too(
        self, customer: Customer, account: UUID, work_queue: WorkQueue, job_type: str
    ) -> None:
        for video_id in ("9", "100", "11"):
            customer.video(video_id, account=account)
        queue_for(customer.store, account, job_type)
        [fetch, *_] = await claim_fetches(work_queue)
        assert getattr(fetch.target, "known_post", None) == "100"

    async def test_posts_that_were_read_in_lists_are_not_fetched_again(
        self, customer: Customer, work_queue: WorkQueue
    ) -> None:
        for video_id in ("1", "2", "3"):
            customer.video(video_id)
        fetches = await fetch_all(work_queue.posts(ReadPosts(counted={"1", "3"})))
        assert [getattr(fetch.target, "platform_video_id", None) for fetch in fetches] == ["2"]


@dataclass
class Guest(OwnProvider):
    """Lists two posts with likes: the first sometimes without views, the other always without."""

    views: int | None = None

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        first = replace(COUNTED, view_count=self.views, like_count=3)
        posts = (first, replace(first, platform_video_id="2", view_count=None))
        return ScrapeReport(outcome=Outcome.OK, source="own", videos=posts, reached_known=True)


async def test_a_post_without_views_in_lists_is_fetched(
    customer: Customer, account: UUID, settings: Settings
) -> None:
    for name in ("1", "2"):
        customer.video(name, account=account, posted_at=NOON)
    landing, provider = open_landing(settings), Guest(views=10)
    work_queue = WorkQueue(customer.store, "tiktok", Fetcher(provider, lambda: NOON))
    for views, fetched in ((10, []), (None, ["1"])):
        provider.views = views
        register = partial(register_one, customer.store, landing)
        buffer = Buffer(LandingWriter(landing), lambda _fetch: None, register)
        await crawl([*work_queue.accounts(NOON)], buffer, concurrency=1)
        with customer.store.write_session() as session:
            plan_changes(session)
        fetches = await fetch_all(work_queue.posts(buffer.tally.read))
        targets = [each.target for each in fetches if isinstance(each.target, PostTarget)]
        assert [target.platform_video_id for target in targets] == fetched
        work_queue = WorkQueue(customer.store, "tiktok", Fetcher(provider, lambda: NOON))
