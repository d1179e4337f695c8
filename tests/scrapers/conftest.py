"""Hand-written payloads and the pages that carry them, as platforms.md describes both; providers on
a simulator that a module runs."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from copy import deepcopy
from html import escape
from pathlib import Path
from typing import Any

import httpx
import pytest
import stamina

from scrapers.instagram.provider import InstagramProvider
from scrapers.simulator import Fault, Faults
from scrapers.tiktok.provider import TikTokProvider
from scrapers.transport.pacing import Pace

PAYLOADS = Path(__file__).parent.parent / "payloads"


@pytest.fixture
def payload() -> Callable[[str], Any]:
    """A payload by its name, such as `tiktok/profile.json`: JSON as objects, HTML as text."""

    def load(name: str) -> Any:
        text = (PAYLOADS / name).read_text(encoding="utf-8")
        return json.loads(text) if name.endswith(".json") else text

    return load


@pytest.fixture
def tiktok_page() -> Callable[[Any], str]:
    """A TikTok page that carries its data."""

    def page(data: Any) -> str:
        return (
            '<!DOCTYPE html><html><head><script>window.x = "</div>"</script></head><body>'
            '<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__" type="application/json">'
            f"{json.dumps(data)}</script><script>later()</script></body></html>"
        )

    return page


@pytest.fixture
def relay_page() -> Callable[..., str]:
    """An Instagram page that carries query results, a token and a description."""

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
    """A monotonic clock that only sleeping moves."""

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
    """Retries stay, their waiting does not."""
    with stamina.set_testing(True, attempts=99, cap=True):
        yield


Closing = Callable[[Any], Any]


@pytest.fixture
async def closing() -> AsyncIterator[Closing]:
    """Close what a test opened: anything with `aclose`."""
    opened: list[Callable[[], Awaitable[None]]] = []

    def keep(thing: Any) -> Any:
        opened.append(thing.aclose)
        return thing

    yield keep
    for close in opened:
        await close()


@pytest.fixture
def fault(simulator: Any) -> Iterator[Callable[..., None]]:
    """Let something go wrong with every request until the test ends."""

    def set_faults(*rules: Fault) -> None:
        faults = Faults(rules=list(rules)).model_dump(mode="json")
        httpx.put(f"{simulator.base_url}/_simulator/faults", json=faults).raise_for_status()

    yield set_faults
    set_faults()


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
