"""The number of requests of a crawl: lists show many posts at once, single pages the rest."""

from collections import Counter
from pathlib import Path

import pytest

from orchestration.scraping.account_fetches import Fetcher
from orchestration.scraping.crawl import Buffer, Tally, crawl
from orchestration.scraping.work_queue import WorkQueue
from scrapers.simulator import RunningSimulator
from scrapers.simulator.records import TruePost
from scrapers.tiktok.provider import TikTokProvider
from scrapers.transport.pacing import Pace
from tests.orchestration.scraping.conftest import ACCOUNTS, NOW, POSTS
from tests.orchestration.scraping.counted import Counted
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.writer import LandingWriter
from warehouse.operational.store import OperationalStore

pytestmark = pytest.mark.slow

A_PAGE = 15


async def crawl_all(
    store: OperationalStore, simulator: RunningSimulator, folder: Path
) -> tuple[Counter[str], Tally]:
    """Crawl TikTok as a pipeline run does; return the requests by kind, and the tally."""
    transport = Counted()
    provider = TikTokProvider(
        base_url=simulator.tiktok_url,
        pace=Pace(4, 10_000.0),
        clock=lambda: NOW,
        transport=transport,
    )
    buffer = Buffer(LandingWriter(FolderLanding(folder)), lambda _fetch: None)
    work_queue = WorkQueue(store, "tiktok", Fetcher(provider, lambda: NOW))
    await crawl(work_queue.accounts(NOW), buffer, concurrency=4)
    await crawl(work_queue.posts(buffer.tally.read), buffer, concurrency=4)
    await provider.aclose()
    return transport.requests, buffer.tally


async def test_a_crawl_requests_single_posts_only_where_no_list_shows_them(
    store: OperationalStore,
    simulator: RunningSimulator,
    tracked: dict[str, list[TruePost]],
    tmp_path: Path,
) -> None:
    """First list pages show 150 of the 400 posts; with single pages it takes 270 requests."""
    requests, tally = await crawl_all(store, simulator, tmp_path)
    expected = {post.platform_video_id for posts in tracked.values() for post in posts}
    assert tally.read.viewed >= expected
    assert requests["post"] == 0
    assert requests["list"] <= ACCOUNTS * (-(-POSTS // A_PAGE) + 1)
    assert requests.total() <= 50
