"""How many requests a sweep takes: lists show many posts at once, and single pages the rest."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from orchestration.scraping.agenda import Agenda
from orchestration.scraping.sweep import Basket, Tally, sweep
from orchestration.scraping.visits import Visitor
from scrapers.simulator import RunningSimulator
from scrapers.simulator.records import TruePost
from scrapers.tiktok.provider import TikTokProvider
from scrapers.transport.pacing import Pace
from tests.factories.tracking import add_account, add_video
from warehouse.landing.writer import LandingWriter
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore

NOW = datetime(2026, 9, 1, 6, tzinfo=UTC)
ACCOUNTS, POSTS = 10, 40
A_PAGE = 15


class Counted(httpx.AsyncHTTPTransport):
    """Sends requests over loopback, and counts them by what they ask for."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: Counter[str] = Counter()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        kind = "list" if "/api/" in path else "post" if "/video/" in path else "profile"
        self.requests[kind] += 1
        return await super().handle_async_request(request)


@pytest.fixture
def tracked(
    store: OperationalStore, organization: NewOrganization, simulator: RunningSimulator
) -> dict[str, list[TruePost]]:
    """Accounts whose newest forty posts are known, by their handles."""
    simulator.set_now(NOW)
    world, found = simulator.world, dict[str, list[TruePost]]()
    for handle in world.handles("tiktok", at=NOW):
        posts = world.posts("tiktok", handle, NOW)[:POSTS]
        if len(posts) < POSTS or len(found) == ACCOUNTS:
            continue
        found[handle] = posts
        profile = world.profile("tiktok", handle, NOW)
        assert profile
        account = add_account(
            store,
            organization,
            handle,
            platform_user_id=profile.platform_user_id,
            platform_alt_id=profile.platform_alt_id,
            tracking_start_date=min(post.posted_at for post in posts).date(),
            last_discovered_at=NOW,
        )
        for post in posts:
            add_video(
                store,
                organization,
                post.platform_video_id,
                account=account,
                posted_at=post.posted_at,
            )
    assert len(found) == ACCOUNTS
    return found


async def swept(
    store: OperationalStore, simulator: RunningSimulator, folder: Path
) -> tuple[Counter[str], Tally]:
    """Sweep TikTok as a pass does; return the requests by kind, and what was seen."""
    transport = Counted()
    provider = TikTokProvider(
        base_url=simulator.tiktok_url,
        pace=Pace(4, 10_000.0),
        clock=lambda: NOW,
        transport=transport,
    )
    basket = Basket(LandingWriter(folder), lambda _look: None)
    agenda = Agenda(store, "tiktok", Visitor(provider, lambda: NOW))
    await sweep(agenda.accounts(NOW), basket, concurrency=4)
    await sweep(agenda.posts(basket.tally.read), basket, concurrency=4)
    await provider.aclose()
    return transport.requests, basket.tally


async def test_a_sweep_reads_lists_on_and_asks_for_single_posts_only_where_none_shows_them(
    store: OperationalStore,
    simulator: RunningSimulator,
    tracked: dict[str, list[TruePost]],
    tmp_path: Path,
) -> None:
    """Of 400 posts in 10 accounts a list's first page shows 150: it took 270 requests."""
    requests, tally = await swept(store, simulator, tmp_path)
    wanted = {post.platform_video_id for posts in tracked.values() for post in posts}
    assert tally.read >= wanted
    assert requests["post"] == 0
    assert requests["list"] <= ACCOUNTS * (-(-POSTS // A_PAGE) + 1)
    assert requests.total() <= 50
