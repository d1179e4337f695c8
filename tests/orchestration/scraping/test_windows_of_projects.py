"""Projects track one account with different windows: each has all posts of its window.

Random histories: projects of several organizations begin, change their windows and request
discoveries at any time, pages are refused, and crawls land before or after others are registered.
"""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from random import Random
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from orchestration.scraping.account_fetches import Fetcher
from orchestration.scraping.crawl import AccountFetch, Buffer, crawl
from orchestration.scraping.work_queue import WorkQueue
from scrapers.discovery import TimelinePage, TimelinePaging
from scrapers.findings import ListedPost
from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget, ScrapeReport, VideoSnapshot
from tests.doses import SEED, dose
from tests.factories.tracking import Customer, add_organization
from tests.orchestration.own_provider import COUNTED, NOON, PROFILE, OwnProvider
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import Account, Video
from warehouse.operational.store import OperationalStore
from warehouse.registration.register import register_landed
from warehouse.scrape_jobs.queue import enqueue
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

ZONES = ("UTC", "America/Los_Angeles", "Pacific/Auckland")
STEPS, OLD_POSTS, A_PAGE, LAST_CRAWLS = 12, 12, 3, 12
LONGEST_AGE = timedelta(days=20)


@dataclass
class Timeline(OwnProvider):
    """An account's posts, newest first, in pages, some of which are refused."""

    draw: Random = field(default_factory=Random)
    published: dict[str, datetime] = field(default_factory=dict)
    now: datetime = NOON
    refused: float = 0.0

    def publish(self, at: datetime) -> None:
        self.published[str(len(self.published) + 1)] = at

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        account = replace(PROFILE, captured_at=self.now)
        return ScrapeReport(outcome=Outcome.OK, source="own", account=account)

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        paging = TimelinePaging(
            since=since,
            known=known,
            pages=self.draw.randrange(1, 5),
            fruitless_pages=9,
            due=target.due,
            behind=target.cursor_of(self.name),
            by_pages=target.by_pages,
        )
        outcome = Outcome.OK
        while paging.goes_on and outcome is Outcome.OK:
            if self.draw.random() < self.refused:
                outcome = Outcome.RATE_LIMITED
            else:
                paging.add_page(self._page(paging.cursor))
        return ScrapeReport(
            outcome=outcome,
            source="own",
            videos=paging.findings.videos,
            reached_known=outcome is Outcome.OK and paging.is_complete,
            goes_on=paging.page_cursor(self.name),
        )

    def _page(self, behind: str | None) -> TimelinePage:
        """Return the page of posts that are older than `behind`."""
        before = self.published[behind] if behind else datetime.max.replace(tzinfo=UTC)
        older = sorted((at, post) for post, at in self.published.items() if at < before)
        page = [self._shown(post, at) for at, post in reversed(older[-A_PAGE:])]
        cursor = page[-1].platform_video_id if len(older) > A_PAGE else None
        return TimelinePage(tuple(ListedPost(video, is_pinned=False) for video in page), cursor)

    def _shown(self, post: str, at: datetime) -> VideoSnapshot:
        return replace(COUNTED, platform_video_id=post, posted_at=at, captured_at=self.now)


@dataclass
class Life:
    store: OperationalStore
    settings: Settings
    customers: list[Customer]
    draw: Random
    timeline: Timeline = field(init=False)
    zones: dict[UUID, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.timeline = Timeline(draw=self.draw)
        for hours in sorted(self.draw.sample(range(1, 24 * 20), OLD_POSTS), reverse=True):
            self.timeline.publish(NOON - timedelta(hours=hours, minutes=self.draw.randrange(60)))

    async def go_on(self) -> None:
        """Let some hours pass with two random events and a crawl."""
        self.timeline.now += timedelta(hours=self.draw.randrange(1, 40))
        self.timeline.refused = self.draw.choice((0.0, 0.3))
        happens = (self.begin, self.change_window, self.request, self.publish)
        for each in self.draw.sample(happens, 2):
            each()
        await self.crawl(with_register=self.draw.random() < 0.7)

    def publish(self) -> None:
        for minutes in self.draw.sample(range(60), self.draw.randrange(4)):
            self.timeline.publish(self.timeline.now - timedelta(minutes=minutes))

    def begin(self) -> None:
        if self.customers:
            customer, zone = self.customers.pop(), ZONES[len(self.customers)]
            start, end = self._window()
            account = customer.account("demo", tracking_start_date=start, tracking_end_date=end)
            self.zones[account] = zone

    def change_window(self) -> None:
        """Extend a window, as the API does; posts outside a smaller window stay."""
        if not self.zones:
            return
        with self.store.write_session() as session:
            account = session.get_one(Account, self.draw.choice([*self.zones]))
            start, end = self._window()
            if account.tracking_start_date and (not start or start < account.tracking_start_date):
                account.tracking_start_date = start
                account.discover_again()
            if account.tracking_end_date and (not end or end > account.tracking_end_date):
                account.tracking_end_date = end
                account.discover_again()

    def _window(self) -> tuple[date | None, date | None]:
        age = self.draw.randrange(LONGEST_AGE.days)
        start = (self.timeline.now - timedelta(days=age)).date()
        end = start + timedelta(days=self.draw.randrange(LONGEST_AGE.days))
        return self.draw.choice((start, None)), self.draw.choice((end, None))

    def request(self) -> None:
        if self.zones:
            with self.store.write_session() as session:
                account = session.get_one(Account, self.draw.choice([*self.zones]))
                enqueue(session, job_type="discover_videos", account=account)

    async def crawl(self, *, with_register: bool = True) -> None:
        """Fetch the requested accounts and all others; a later crawl may register the batches."""
        queue = WorkQueue(self.store, "tiktok", Fetcher(self.timeline, lambda: self.timeline.now))
        for account_fetches in queue.claim_fetches(set()):
            await self._fetch([*account_fetches])
        account_fetches = [*queue.accounts(self.timeline.now)]
        if self.draw.random() < 0.3:
            self.begin()  # after the targets were chosen
        await self._fetch(account_fetches)
        if with_register:
            register_landed(self.store, self.settings)

    async def _fetch(self, account_fetches: list[AccountFetch]) -> None:
        writer = LandingWriter(open_landing(self.settings))
        buffer = Buffer(writer, lambda _fetch: None, lambda _batch: None)
        await crawl(account_fetches, buffer, concurrency=1)

    def posts_of_accounts(self) -> dict[UUID, set[str]]:
        posts: dict[UUID, set[str]] = {account: set() for account in self.zones}
        with self.store.read_session() as session:
            for account, post in session.execute(select(Video.account_id, Video.platform_video_id)):
                posts[account].add(post)
        return posts

    def expected_posts(self) -> dict[UUID, set[str]]:
        """Return the posts whose day, in UTC or in the organization's zone, is in the window."""
        expected = {}
        with self.store.read_session() as session:
            for account, zone in self.zones.items():
                row = session.get_one(Account, account)
                start, end = row.tracking_start_date, row.tracking_end_date
                expected[account] = {
                    post
                    for post, at in self.timeline.published.items()
                    if any(
                        (start or date.min) <= at.astimezone(ZoneInfo(each)).date()
                        and at.astimezone(ZoneInfo(each)).date() <= (end or date.max)
                        for each in ("UTC", zone)
                    )
                }
        return expected


@pytest.mark.parametrize("seed", range(dose(1, 60)))
async def test_each_has_the_posts_of_its_window(
    store: OperationalStore, settings: Settings, seed: int
) -> None:
    customers = [
        Customer(store, add_organization(store, zone.replace("/", " "), zone)) for zone in ZONES
    ]
    life = Life(store, settings, customers, Random(SEED + seed))
    for _ in range(STEPS):
        await life.go_on()
    life.timeline.refused = 0.0
    for _ in range(LAST_CRAWLS):
        life.timeline.now += timedelta(hours=1)
        await life.crawl()
        if life.posts_of_accounts() == life.expected_posts():
            break
    assert life.posts_of_accounts() == life.expected_posts()
