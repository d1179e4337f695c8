"""Behind a wall, providers send only the requests needed to detect it, over real HTTP."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from typing import Any, ClassVar

import httpx
import pytest

from scrapers.instagram.provider import InstagramProvider
from scrapers.outcomes import Outcome
from scrapers.provider import CommentProvider
from scrapers.refusing import HALF
from scrapers.simulator import Fault, FaultKind, World, running_simulator
from scrapers.snapshots import AccountTarget, PostTarget, ScrapeReport
from scrapers.tiktok.provider import TikTokProvider
from scrapers.transport.pacing import Pace
from tests.scrapers.conftest import FakeSite

pytestmark = pytest.mark.usefixtures("without_backoff")

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)
FETCHES = 60
AT_ONCE = 8
"""Concurrent requests of the tests' providers."""
FEW = HALF + AT_ONCE

Looks = Callable[..., Awaitable[list[ScrapeReport]]]


@pytest.fixture(scope="module")
def simulator() -> Iterator[Any]:
    with running_simulator(World(seed=11, creators=90)) as running:
        running.set_now(NOW)
        yield running


@pytest.fixture
def matched(simulator: Any) -> Callable[[], int]:
    """Count the requests that the first active fault has matched."""

    def count() -> int:
        counts = httpx.get(f"{simulator.base_url}/_simulator/faults/met").json()
        return int(counts[0])

    return count


def accounts(simulator: Any, platform: str) -> list[AccountTarget]:
    handles = simulator.world.handles(platform, at=NOW)[:FETCHES]
    return [AccountTarget(platform=platform, handle=handle) for handle in handles]


def posts(simulator: Any, platform: str) -> list[PostTarget]:
    world = simulator.world
    targets = [
        PostTarget(platform=platform, platform_video_id=post.platform_video_id)
        for handle in world.handles(platform, at=NOW)[:20]
        for post in world.posts(platform, handle, NOW)
        if not post.is_restricted
    ]
    return targets[:FETCHES]


def fetches_of(
    provider: CommentProvider, simulator: Any, kind: str
) -> list[Awaitable[ScrapeReport]]:
    if kind == "profile":
        return [provider.profile(account) for account in accounts(simulator, provider.platform)]
    fetch = provider.post if kind == "post" else provider.comments
    return [fetch(post) for post in posts(simulator, provider.platform)]


async def run_fetches(
    fetches: list[Awaitable[ScrapeReport]], *, workers: int
) -> list[ScrapeReport]:
    """Run the fetches with concurrent workers, as a crawl does."""
    waiting = iter(fetches)

    async def work() -> list[ScrapeReport]:
        return [await fetch for fetch in waiting]

    worked = await asyncio.gather(*(work() for _ in range(workers)))
    return [report for reports in worked for report in reports]


PAGES = "/instagram/*"
WALLS = [
    ("instagram", "profile", PAGES, FaultKind.LOGIN_PAGE, Outcome.LOGIN_REQUIRED, FEW),
    ("instagram", "profile", PAGES, FaultKind.LOGIN_REDIRECT, Outcome.LOGIN_REQUIRED, FEW),
    ("instagram", "profile", PAGES, FaultKind.CHALLENGE, Outcome.CHALLENGED, FEW),
    ("instagram", "profile", PAGES, FaultKind.EMPTY_BODY, Outcome.BLOCKED_SILENT, FEW),
    ("instagram", "profile", PAGES, FaultKind.PAGE_WITHOUT_DATA, Outcome.RATE_LIMITED, AT_ONCE),
    (
        *("instagram", "profile", PAGES, FaultKind.CHANGED_SHAPE, Outcome.SCHEMA_CHANGED),
        FEW,
    ),
    ("instagram", "post", PAGES, FaultKind.LOGIN_PAGE, Outcome.LOGIN_REQUIRED, FEW),
    ("instagram", "post", PAGES, FaultKind.PAGE_WITHOUT_DATA, Outcome.RATE_LIMITED, AT_ONCE),
    (
        *("instagram", "post", PAGES, FaultKind.CHANGED_SHAPE, Outcome.SCHEMA_CHANGED),
        2 * FEW,  # the page, then the query
    ),
    ("instagram", "comments", PAGES, FaultKind.LOGIN_PAGE, Outcome.LOGIN_REQUIRED, FEW),
    # the page, then the embed
    ("tiktok", "profile", "/tiktok/*", FaultKind.CHALLENGE, Outcome.CHALLENGED, 2 * FEW),
    ("tiktok", "profile", "/tiktok/*", FaultKind.NO_DATA, Outcome.BLOCKED_SILENT, 3 * FEW),
    ("tiktok", "post", "/tiktok/*", FaultKind.CHALLENGE, Outcome.CHALLENGED, 2 * FEW),
    ("tiktok", "comments", "/tiktok/api/*", FaultKind.CAPTCHA, Outcome.CHALLENGED, FEW),
]


@pytest.mark.parametrize(("platform", "kind", "path", "wall", "outcome", "most"), WALLS)
@pytest.mark.parametrize("one_by_one", [True, False], ids=["one_by_one", "at_once"])
async def test_sixty_fetches_send_few_requests_and_all_report_the_reason(
    simulator: Any,
    providers: dict[str, CommentProvider],
    fault: Callable[..., None],
    matched: Callable[[], int],
    *,
    platform: str,
    kind: str,
    path: str,
    wall: FaultKind,
    outcome: Outcome,
    most: int,
    one_by_one: bool,
) -> None:
    fault(Fault(kind=wall, path=path))
    fetches = fetches_of(providers[platform], simulator, kind)
    assert len(fetches) == FETCHES
    reports = await run_fetches(fetches, workers=1 if one_by_one else AT_ONCE)
    assert {report.outcome for report in reports} == {outcome}
    assert 0 < matched() <= most


class TestRedirectToItself:
    """Each page redirects to its own URL."""

    PAGES: ClassVar[dict[str, tuple[type[Any], int]]] = {
        "tiktok": (TikTokProvider, 3 * FEW),  # the page, then the embed
        "instagram": (InstagramProvider, 2 * FEW),
    }

    @pytest.fixture
    def site(self, platform: str, closing: Callable[[Any], Any], fake_time: Any) -> FakeSite:
        site = FakeSite(platform)
        site.provider = closing(
            self.PAGES[platform][0](
                base_url=f"http://127.0.0.1:9000/{platform}",
                pace=Pace(AT_ONCE, 10_000.0),
                clock=lambda: NOW,
                transport=httpx.MockTransport(site),
                sleep=fake_time.sleep,
            )
        )
        return site

    @pytest.mark.parametrize("workers", [1, AT_ONCE])
    async def test_sixty_fetches_send_few_requests(
        self, site: FakeSite, platform: str, workers: int
    ) -> None:
        handles = [f"demo{number}" for number in range(FETCHES)]
        paths = [f"{path}{handle}" for handle in handles for path in ("/@", "/embed/@", "/")]
        site.routes = {
            place: httpx.Response(302, headers={"Location": f"/{platform}{place}"})
            for path in paths
            for place in (path, f"{path}/")
        }
        targets = [AccountTarget(platform=platform, handle=handle) for handle in handles]
        reports = await run_fetches(
            [site.provider.profile(target) for target in targets], workers=workers
        )
        assert {report.outcome for report in reports} == {Outcome.BLOCKED_SILENT}
        assert "redirected in a circle" in str(reports[0].detail)
        assert 0 < len(site.requests) <= self.PAGES[platform][1]

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    @pytest.mark.parametrize(
        "location",
        [
            "/{platform}{path}",
            "/{platform}{path}?lang=en&_r=1",
            "/{platform}{path}#x",
            "http://127.0.0.1:9000/{platform}{path}",
            "//127.0.0.1:9000/{platform}{path}",
            "?lang=en",
            "/{platform}{other}",
        ],
    )
    async def test_each_redirect_loop_is_a_refusal(
        self, site: FakeSite, platform: str, location: str, status: int
    ) -> None:
        paths = {"tiktok": ("/@demo", "/@other"), "instagram": ("/demo/", "/other/")}[platform]
        for path, other in (paths, paths[::-1]):
            where = location.format(platform=platform, path=path, other=other)
            site.routes[path] = httpx.Response(status, headers={"Location": where})
        report = await site.provider.profile(AccountTarget(platform=platform, handle="demo"))
        assert report.outcome is Outcome.BLOCKED_SILENT
        assert "redirected in a circle" in str(report.detail)

    async def test_one_that_sets_a_cookie_is_followed(self, site: FakeSite, platform: str) -> None:
        path = {"tiktok": "/@demo", "instagram": "/demo/"}[platform]
        itself = httpx.Response(302, headers={"Location": f"/{platform}{path}"})
        site.routes[path] = [itself, httpx.Response(404)]
        report = await site.provider.profile(AccountTarget(platform=platform, handle="demo"))
        assert report.outcome is Outcome.NOT_FOUND


@pytest.mark.slow
async def test_a_wall_before_one_route_leaves_the_others_open(
    simulator: Any,
    providers: dict[str, CommentProvider],
    fault: Callable[..., None],
    matched: Callable[[], int],
) -> None:
    fault(Fault(kind=FaultKind.CHALLENGE, path="/tiktok/@*"))
    provider = providers["tiktok"]
    pages = [await provider.profile(account) for account in accounts(simulator, "tiktok")]
    read = [page.source for page in pages if page.outcome is Outcome.OK]
    assert len(read) > FETCHES / 2
    assert set(read) == {"tiktok.creator_embed"}
    assert matched() == HALF
    someone = next(handle for handle in simulator.world.handles("tiktok", at=NOW))
    true = simulator.world.profile("tiktok", someone, NOW)
    known = AccountTarget(platform="tiktok", handle=someone, platform_alt_id=true.platform_alt_id)
    listed = await provider.discover(known, since=NOW.replace(month=8), known=())
    assert listed.outcome is Outcome.OK
    assert listed.videos


async def test_half_of_the_fetches_refused_are_enough(
    simulator: Any,
    providers: dict[str, CommentProvider],
    fault: Callable[..., None],
    matched: Callable[[], int],
) -> None:
    fault(Fault(kind=FaultKind.LOGIN_PAGE, path="/instagram/*", rate=0.5))
    fetches = fetches_of(providers["instagram"], simulator, "profile")
    reports = await run_fetches(fetches, workers=1)
    assert matched() <= 2 * FEW
    assert re.match(r"not sent for another \d+ s: backing off", str(reports[-1].detail))


@pytest.mark.parametrize("platform", ["tiktok", "instagram"])
@pytest.mark.parametrize("is_known", [False, True], ids=["of_anybody", "of_known_accounts"])
async def test_missing_posts_that_were_never_read_are_no_wall(
    simulator: Any, providers: dict[str, CommentProvider], platform: str, *, is_known: bool
) -> None:
    provider, real = providers[platform], posts(simulator, platform)[0]
    urls = [
        PostTarget(
            platform=platform,
            platform_video_id=str(int(real.platform_video_id) + 1 + number),
            handle=f"nobody{number}",
            platform_user_id=str(number) if is_known else None,
            was_read=False,
        )
        for number in range(2 * HALF)
    ]
    outcomes = [(await provider.post(target)).outcome for target in urls]
    assert set(outcomes) == {Outcome.POST_UNAVAILABLE}
    assert (await provider.post(real)).outcome is Outcome.OK
