"""Hand-written payloads after platforms.md, their pages, and providers on a simulator."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest
import stamina

from scrapers.instagram.provider import InstagramProvider
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.snapshots import AccountTarget, PostTarget
from scrapers.tiktok.provider import TikTokProvider
from scrapers.transport.pacing import Pace
from tests.fixtures.paid import PaidServer, running_paid_server
from tests.fixtures.simulated import fault, simulator

__all__ = ["fault", "simulator"]

PAYLOADS = Path(__file__).parent.parent / "payloads"
PLATFORMS = ("tiktok", "instagram")
POST = {"tiktok": "7682837474828885294", "instagram": "3981064899117325116"}
USER = {"tiktok": "6871947673887454020", "instagram": "67000000001"}
"""Author ids in the payloads."""


@pytest.fixture
def payload() -> Callable[[str], Any]:
    """Load a payload by name, such as `tiktok/profile.json`: JSON as objects, HTML as text."""

    def load(name: str) -> Any:
        text = (PAYLOADS / name).read_text(encoding="utf-8")
        return json.loads(text) if name.endswith(".json") else text

    return load


@pytest.fixture
def tiktok_page() -> Callable[[Any], str]:
    """Build a TikTok page with embedded data."""

    def page(data: Any) -> str:
        return (
            '<!DOCTYPE html><html><head><script>window.x = "</div>"</script></head><body>'
            '<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__" type="application/json">'
            f"{json.dumps(data)}</script><script>later()</script></body></html>"
        )

    return page


@pytest.fixture
def relay_page() -> Callable[..., str]:
    """Build an Instagram page with query results, a token and a description."""

    def page(*results: Any, description: str = "") -> str:
        scripts = [_relay_script(number, result) for number, result in enumerate(results)]
        meta = f'<meta property="og:description" content="{escape(description)}" />'
        return (
            f"<!DOCTYPE html><html><head>{meta if description else ''}"
            '<script type="application/json" data-content-len="2" data-sjs>{"require":[]}</script>'
            '<script>requireLazy(["LSD",[],{"token":"AVqTokenOne"},323]);</script>'
            f"</head><body>{''.join(scripts)}</body></html>"
        )

    return page


def _relay_script(number: int, result: Any) -> str:
    stream = [
        "RelayPrefetchedStreamCache",
        "next",
        [],
        [f"adp_Query{number}", {"__bbox": {"complete": True, "result": deepcopy(result)}}],
    ]
    tree = {"require": [["ScheduledServerJS", "handle", None, [{"__bbox": {"require": [stream]}}]]]}
    return f'<script type="application/json" data-sjs>{json.dumps(tree)}</script>'


class FakeTime:
    """A monotonic clock that advances only when something sleeps."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds


@pytest.fixture
def fake_time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def without_backoff() -> Iterator[None]:
    """Retry without waiting."""
    with stamina.set_testing(True, attempts=99, cap=True):
        yield


def outcome_of(read: Callable[[], object]) -> Outcome:
    """Return the outcome of the ScrapeError that `read` raises."""
    with pytest.raises(ScrapeError) as error:
        read()
    return error.value.outcome


Closing = Callable[[Any], Any]


@pytest.fixture
async def closing() -> AsyncIterator[Closing]:
    """Close objects with `aclose` after the test."""
    opened: list[Callable[[], Awaitable[None]]] = []

    def keep(thing: Any) -> Any:
        opened.append(thing.aclose)
        return thing

    yield keep
    for close in opened:
        await close()


class FakeSite:
    """A platform whose routes return a text, a response, or each entry of a list in turn."""

    provider: Any
    """The provider under test."""

    def __init__(self, platform: str) -> None:
        self.root = f"/{platform}"
        self.routes: dict[str, Any] = {}
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        assert request.url.path.startswith(f"{self.root}/")
        answer = self.routes.get(self.paths[-1], httpx.Response(404))
        if isinstance(answer, list):
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx.Response):
            return answer
        return httpx.Response(200, text=answer)

    @property
    def paths(self) -> list[str]:
        return [request.url.path.removeprefix(self.root) for request in self.requests]

    @property
    def forms(self) -> list[dict[str, str]]:
        posts = [request for request in self.requests if request.method == "POST"]
        return [
            {key: values[0] for key, values in parse_qs(post.read().decode()).items()}
            for post in posts
        ]


@pytest.fixture
def server() -> Iterator[PaidServer]:
    with running_paid_server() as paid:
        yield paid


@pytest.fixture(params=PLATFORMS)
def platform(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def new(platform: str) -> AccountTarget:
    return AccountTarget(platform=platform, handle="demo.creator")


@pytest.fixture
def known(new: AccountTarget) -> AccountTarget:
    return replace(new, platform_user_id=USER[new.platform])


@pytest.fixture
def post(platform: str) -> PostTarget:
    return PostTarget(platform=platform, platform_video_id=POST[platform], handle="demo.creator")


@pytest.fixture
async def providers(
    request: pytest.FixtureRequest, simulator: Any, fake_time: Any
) -> AsyncIterator[dict[str, TikTokProvider | InstagramProvider]]:
    """Both public providers on the module's simulator, at its `NOW`."""
    common: dict[str, Any] = {
        "pace": Pace(8, 10_000.0),
        "clock": lambda: request.module.NOW,
        "sleep": fake_time.sleep,
    }
    built: dict[str, TikTokProvider | InstagramProvider] = {
        "tiktok": TikTokProvider(base_url=simulator.tiktok_url, **common),
        "instagram": InstagramProvider(base_url=simulator.instagram_url, **common),
    }
    yield built
    for provider in built.values():
        await provider.aclose()
