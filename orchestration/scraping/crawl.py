"""Runs many account fetches concurrently, landed in bounded batches.

Workers take account fetches from one iterator. Results land every `FETCHES_PER_BATCH` fetches,
sooner with many comments or after `LANDS_EVERY` seconds: a killed crawl loses at most one batch.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from uuid import UUID

from orchestration.scraping.failures import unless_lost
from orchestration.scraping.fetches import Fetch, comments_of, landing_rows
from orchestration.scraping.regularly import regularly
from orchestration.scraping.walls import behind_a_wall
from scrapers.refusing import FetchLog
from scrapers.snapshots import PostTarget
from warehouse.fetch_schedule.due_posts import DuePost
from warehouse.landing.writer import LandingWriter
from warehouse.operational.clock import ClockWatch, WrongClockError
from warehouse.scrape_jobs.video_targets import VideoToScrape

FETCHES_PER_BATCH = 200
COMMENTS_PER_BATCH = 20_000
LANDS_EVERY, EXTENDS_EVERY = 300.0, 60.0
"""Seconds. Leases are extended, so that a crawl may wait for a platform for hours."""

AccountFetch = Callable[[], AsyncIterator[Fetch]]
OnFetch = Callable[[Fetch], None]
Landing = asyncio.Task[None]


@dataclass
class ReadPosts:
    """Ids of posts whose counters were listed or fetched, and of those whose views were."""

    counted: set[str] = field(default_factory=set)
    viewed: set[str] = field(default_factory=set)

    def note(self, fetch: Fetch) -> None:
        """Add the posts of a fetch. A post that was fetched alone has nothing more to show."""
        for video in fetch.report.videos:
            if video.is_counted:
                self.counted.add(video.platform_video_id)
            if video.view_count is not None:
                self.viewed.add(video.platform_video_id)
        if isinstance(fetch.target, PostTarget):
            self.counted.add(fetch.target.platform_video_id)
            self.viewed.add(fetch.target.platform_video_id)

    def has(self, post: DuePost | VideoToScrape) -> bool:
        """Return whether a post needs no fetch: of one that has views, the views were read."""
        return post.platform_video_id in (self.viewed if post.has_views else self.counted)


@dataclass
class Tally:
    """Results of a crawl: outcomes by name, counts of landed rows, ids of landed batches."""

    outcomes: Counter[str] = field(default_factory=Counter)
    log: FetchLog = field(default_factory=FetchLog)
    profiles: int = 0
    posts: int = 0
    comments: int = 0
    batches: list[UUID] = field(default_factory=list)
    jobs: set[UUID] = field(default_factory=set)
    """The queued jobs whose last fetch has landed."""
    wait_seconds: float | None = None
    """Remaining pause that the platform requested, if it ended the crawl."""
    read: ReadPosts = field(default_factory=ReadPosts)

    @property
    def fetches(self) -> int:
        """Number of ended fetches, with any outcome."""
        return self.outcomes.total()

    @property
    def is_cut(self) -> bool:
        """Whether the rest is left to another crawl."""
        return self.wait_seconds is not None

    def note(self, fetch: Fetch) -> None:
        """Count an ended fetch, and record the posts it read."""
        report = fetch.report
        if not fetch.goes_on:
            self.outcomes[report.outcome.value] += 1
            self.log.note(fetch.job_type, report.outcome, fetch.finished_at, report.http_status)
        self.read.note(fetch)


class Buffer:
    """Collects fetches, lands them as batches, and registers each batch at once.

    Jobs and comment crawls end at registration: until then others may fetch the same. `renew`
    extends leases. If the clock is wrong, or was set, what has not landed is dropped.
    """

    def __init__(
        self,
        writer: LandingWriter,
        on_fetch: OnFetch,
        register: Callable[[UUID], object] | None = None,
        compare_clocks: Callable[[], object] = lambda: None,
    ) -> None:
        self._writer = writer
        self._on_fetch = on_fetch
        self._register = register
        self._compare_clocks = compare_clocks
        self._watch = ClockWatch()
        self._fetches, self._pauses = list[Fetch](), list[Fetch]()
        self._comments = 0
        self.tally = Tally()
        self.renew: Callable[[], object] | None = None
        self._renewing = asyncio.Lock()
        self._landings = set[Landing]()
        self._has_lost = False

    async def add(self, fetch: Fetch) -> None:
        """Add a fetch, and land the batch if it is full. A deferred fetch ends the crawl.

        If the first fetch is deferred, it lands as refused although it is still due: reports on
        refusing platforms depend on landed fetches. A page of a listing lands at once, so that
        another worker can continue after it. Comments that were not requested stay due.
        """
        self._watch.note()
        if fetch.was_left:
            has_begun = self.tally.is_cut or self.tally.fetches or self._fetches
            if not has_begun and fetch.job_type != "video_comments":
                self._pauses.append(replace(fetch, job_id=None))
            self.tally.wait_seconds = fetch.report.wait_seconds
            return
        if fetch.job_type == "video_comments" and not fetch.report.was_sent:
            self._on_fetch(fetch)
            return
        self._fetches.append(fetch)
        self._comments += len(comments_of(fetch))
        if not fetch.goes_on:
            self._on_fetch(fetch)
        is_full = len(self._fetches) >= FETCHES_PER_BATCH or self._comments >= COMMENTS_PER_BATCH
        if is_full or fetch.listing:
            await self.land()

    async def land(self) -> None:
        """Land the buffered fetches, also if the crawl is stopped; others fill the next batch."""
        fetches, self._fetches, self._comments = behind_a_wall(self._fetches), [], 0
        pauses, self._pauses = self._pauses, []
        if not fetches and not pauses:
            return
        landing = asyncio.create_task(self._land(fetches, pauses, {*self._landings}))
        self._landings.add(landing)
        landing.add_done_callback(self._landings.discard)
        await asyncio.shield(landing)

    async def end(self) -> None:
        """Land the rest, and wait for all batches, and for a renewal: releases name lease ends."""
        try:
            await self.land()
            await asyncio.gather(*self._landings)
        finally:
            async with self._renewing:
                self.renew = None

    async def _land(self, fetches: list[Fetch], pauses: list[Fetch], earlier: set[Landing]) -> None:
        for fetch in fetches:
            self.tally.note(fetch)
        if earlier and any(fetch.job_id for fetch in fetches):
            await asyncio.wait(earlier)
        if self._has_lost:  # the last fetch of a job ends it, and some of its others may be lost
            fetches = [replace(fetch, job_id=None) for fetch in fetches]
        rows = landing_rows([*fetches, *pauses])
        await self.check_clock()
        try:
            batch_id = await asyncio.to_thread(self._writer.land, **vars(rows))
        except BaseException:
            self._has_lost = True
            raise
        self.tally.jobs |= {each.job_id for each in fetches if each.job_id and not each.goes_on}
        self.tally.profiles += len(rows.profiles)
        self.tally.posts += len(rows.posts)
        self.tally.comments += len(rows.comments)
        self.tally.batches.append(batch_id)
        if earlier:  # registered in the order of fetching
            await asyncio.wait(earlier)
        if self._register:
            await unless_lost(partial(self._register, batch_id))
        await self.extend_leases()

    async def extend_leases(self) -> None:
        """Extend the leases, also if the crawl is stopped meanwhile."""
        await asyncio.shield(asyncio.create_task(self._renew()))

    async def _renew(self) -> None:
        await self.check_clock()
        async with self._renewing:
            if self.renew:
                await unless_lost(self.renew)

    async def check_clock(self) -> None:
        try:
            await unless_lost(partial(self._watch.compare, self._compare_clocks))
        except WrongClockError:
            self._fetches, self._pauses, self._has_lost = [], [], True
            raise


async def crawl(
    account_fetches: Iterable[AccountFetch],
    buffer: Buffer,
    *,
    concurrency: int,
    renew: Callable[[], object] | None = None,
) -> None:
    """Make all account fetches, at most `concurrency` at a time.

    Results land even if one fails. If a fetch is deferred because the platform requests a longer
    pause, so are all later ones of this crawl, not of another. `renew` extends leases.
    """
    waiting, cut = iter(account_fetches), asyncio.Event()
    buffer.renew = renew
    async with regularly(buffer.extend_leases, EXTENDS_EVERY):  # also while landings wait
        try:
            async with regularly(buffer.land, LANDS_EVERY), asyncio.TaskGroup() as tasks:
                for _ in range(concurrency):
                    tasks.create_task(_work(waiting, buffer, cut))
        except ExceptionGroup as broken:
            raise broken.exceptions[0] from None  # the first error is the cause
        finally:
            await buffer.end()


async def _work(waiting: Iterator[AccountFetch], buffer: Buffer, cut: asyncio.Event) -> None:
    while not cut.is_set() and (account_fetch := next(waiting, None)) is not None:
        async for fetch in account_fetch():
            await buffer.add(fetch)
            if fetch.was_left:
                cut.set()
