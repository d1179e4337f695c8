"""Lists are read back to the oldest due post and no further, measured in requests."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from scrapers.findings import Findings, ListedPost
from scrapers.instagram_login.provider import InstagramLoginProvider
from scrapers.outcomes import Outcome
from scrapers.paid.budget import Unlimited
from scrapers.registry import PAID, Account, build_provider
from scrapers.simulator import AccountType, Kind, RunningSimulator, TruePost, World
from scrapers.simulator import running_simulator as running
from scrapers.snapshots import AccountTarget, DuePost, ScrapeReport
from scrapers.tiktok_display.provider import DisplayProvider
from scrapers.tiktok_display.settings import routes as display_routes
from scrapers.transport.pacing import Pace
from tests.fixtures.paid import PaidServer, running_paid_server
from tests.orchestration.own_provider import COUNTED
from tests.scrapers.connected.test_against_simulator import MemoryTokens, tokens_of

pytestmark = pytest.mark.usefixtures("without_backoff")

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)
A_PAGE, POSTS = 10, 60
NEWEST = 7_682_837_474_828_885_294
"""Approximate id of a TikTok post published at NOW."""
A_SECOND = 1 << 32
"""The upper half of a TikTok id is the upload time in seconds."""


class CountingTransport(httpx.AsyncHTTPTransport):
    """Counts loopback requests by the last segment of their path."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: Counter[str] = Counter()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests[request.url.path.rstrip("/").rpartition("/")[2]] += 1
        return await super().handle_async_request(request)


@pytest.fixture
def transport() -> CountingTransport:
    return CountingTransport()


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with running(World(seed=11, creators=60)) as simulated:
        simulated.set_now(NOW)
        yield simulated


@pytest.fixture
def posts(simulator: RunningSimulator) -> list[TruePost]:
    """Return the newest posts first of the Instagram professional with the most posts."""
    world = simulator.world
    profiles = [
        world.profile("instagram", handle, NOW) for handle in world.handles("instagram", at=NOW)
    ]
    of_professionals = (
        world.posts("instagram", profile.handle, NOW)
        for profile in profiles
        if profile
        and profile.kind is Kind.PLAIN
        and profile.account_type is not AccountType.PERSONAL
    )
    return max(of_professionals, key=len)


def made(transport: CountingTransport) -> dict[str, Any]:
    return {"pace": Pace(4, 10_000.0), "clock": lambda: NOW, "transport": transport}


def due(posts: Sequence[TruePost]) -> tuple[DuePost, ...]:
    return tuple(DuePost(post.platform_video_id, post.posted_at) for post in posts)


def ids(report: ScrapeReport) -> set[str]:
    assert report.outcome is Outcome.OK
    return {video.platform_video_id for video in report.videos}


class TestMeta:
    """Only lists have posts, fifty per page."""

    @pytest.mark.slow
    async def test_insights_are_requested_for_due_posts_only(
        self, simulator: RunningSimulator, posts: list[TruePost], transport: CountingTransport
    ) -> None:
        handle, due_posts = posts[0].handle, posts[1:4]
        tokens = _connected(simulator, "instagram", handle)
        provider = InstagramLoginProvider(
            base_url=simulator.instagram_login_url, tokens=tokens, **made(transport)
        )
        target = AccountTarget(platform="instagram", handle=handle, due=due(due_posts))
        platform_video_ids = {post.platform_video_id for post in posts}
        report = await provider.discover(target, since=NOW, known=platform_video_ids)
        await provider.aclose()
        assert ids(report) == {post.platform_video_id for post in due_posts}
        assert transport.requests["insights"] == len(due_posts)
        assert transport.requests.total() == len(due_posts) + 2  # the account and a page


@pytest.mark.slow
async def test_tiktoks_display_api_reads_twenty_due_posts_a_request(
    simulator: RunningSimulator, transport: CountingTransport
) -> None:
    world = simulator.world
    handles = [
        name
        for name in world.handles("tiktok", at=NOW)
        if (profile := world.profile("tiktok", name, NOW)) and profile.kind is Kind.PLAIN
    ]
    handle = max(handles, key=lambda name: len(world.posts("tiktok", name, NOW)))
    posts = world.posts("tiktok", handle, NOW)
    assert len(posts) > 3 * display_routes().videos.page_size
    due_posts = posts[-5:]
    tokens = _connected(simulator, "tiktok", handle)
    provider = DisplayProvider(
        base_url=simulator.tiktok_login_url, tokens=tokens, **made(transport)
    )
    target = AccountTarget(platform="tiktok", handle=handle, due=due(due_posts))
    report = await provider.discover(
        target, since=NOW, known={post.platform_video_id for post in posts}
    )
    await provider.aclose()
    assert ids(report) >= {post.platform_video_id for post in due_posts}
    assert transport.requests.total() == 3  # the account, a page and the five posts by id


def _connected(simulator: RunningSimulator, platform: str, handle: str) -> MemoryTokens:
    tokens = tokens_of(simulator, platform)
    tokens.connect(handle)
    return tokens


@pytest.fixture
def server() -> Iterator[PaidServer]:
    with running_paid_server() as paid:
        yield paid


def post_id(number: int) -> str:
    """Return the id of a post; there is one a day, the newest is 0."""
    return str(NEWEST - number * 86_400 * A_SECOND)


def posted_at(number: int) -> datetime:
    return datetime.fromtimestamp(1_788_800_000, UTC) - timedelta(days=number)


@pytest.mark.parametrize("name", ["scrapecreators", "ensembledata"])
async def test_a_paid_list_is_read_on_where_its_pages_cost_less_than_the_posts(
    server: PaidServer, payload: Callable[[str], Any], closing: Callable[[Any], Any], name: str
) -> None:
    shape = payload("scrapecreators/tiktok_posts.json")
    item = shape["aweme_list"][1]

    def page(first: int) -> dict[str, Any]:
        items = []
        for number in range(first, first + A_PAGE):
            copy = deepcopy(item)
            at = int(posted_at(number).timestamp())
            items.append({**copy, "aweme_id": post_id(number), "create_time": at})
        follows = first + A_PAGE < POSTS
        if name == "ensembledata":
            return {"data": items, **({"nextCursor": first + A_PAGE} if follows else {})}
        more = {"has_more": int(follows), "max_cursor": first + A_PAGE}
        return {**shape, "aweme_list": items, **more}

    path = PAID[name].of("tiktok")["posts"].path
    server.routes = {path: [page(first) for first in range(0, POSTS, A_PAGE)]}
    provider = closing(
        build_provider(
            "tiktok",
            provider=name,
            base_url=server.base_url,
            pace=Pace(4, 10_000.0),
            clock=lambda: NOW,
            account=Account(key=SecretStr("invented-key-0123456789"), budget=Unlimited()),
        )
    )
    due_numbers = [14, 17, 18, 22, 55]  # the last one alone does not justify the pages
    target = AccountTarget(
        platform="tiktok",
        handle="demo.creator",
        due=tuple(DuePost(post_id(number), posted_at(number)) for number in due_numbers),
    )
    known = [post_id(number) for number in range(POSTS)]
    report = await provider.discover(target, since=NOW, known=known)
    assert ids(report) == {post_id(number) for number in range(3 * A_PAGE)}
    assert len(server.requests) == 3


def test_a_page_is_worth_its_request_where_it_saves_as_many() -> None:
    posts = [(number, posted_at(number)) for number in range(60)]
    listed = [
        ListedPost(replace(COUNTED, platform_video_id=post_id(number), posted_at=at), False)
        for number, at in posts[:20]
    ]
    for due_numbers, at_once, pays in (([25], 1, True), ([45], 1, False), ([45, 46], 1, True)):
        findings = Findings(
            since=NOW,
            known=[post_id(number) for number, _ in posts],
            due=[DuePost(post_id(number), posted_at(number)) for number in due_numbers],
        )
        findings.add(listed)
        assert findings.pays_to_read_on(posted_at(19), at_once) is pays
        assert findings.pays_to_read_on(posted_at(19), 20) is (due_numbers == [25])
