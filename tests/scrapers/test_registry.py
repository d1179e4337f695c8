"""The settings' words become providers, or an error that says what is wrong with them."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from scrapers.instagram.provider import InstagramProvider
from scrapers.provider import Provider
from scrapers.registry import UnknownProviderError, build_provider
from scrapers.tiktok.provider import TikTokProvider
from scrapers.transport.pacing import Pace

OWN = "tests.scrapers.own_provider:OwnProvider"
PACE = Pace(2, 1.0)


def clock() -> datetime:
    return datetime(2026, 9, 8, tzinfo=UTC)


def build(platform: str, provider: str) -> Provider:
    return build_provider(
        platform, provider=provider, base_url="http://127.0.0.1:9/x", pace=PACE, clock=clock
    )


@pytest.mark.parametrize(
    ("platform", "kind"), [("tiktok", TikTokProvider), ("instagram", InstagramProvider)]
)
async def test_web_is_the_built_in_provider(
    platform: str, kind: type, closing: Callable[[Any], Any]
) -> None:
    provider = closing(build(platform, "web"))
    assert isinstance(provider, kind)
    assert (provider.platform, provider.name) == (platform, "web")


def test_a_users_own_is_built_with_base_url_pace_and_clock() -> None:
    provider: Any = build("tiktok", OWN)
    assert provider.name == "own"
    assert provider.arguments == ("http://127.0.0.1:9/x", PACE, clock)


@pytest.mark.parametrize(
    ("platform", "provider", "says"),
    [
        ("youtube", "web", "no provider of 'youtube'"),
        ("tiktok", "webb", "neither 'web' nor"),
        ("tiktok", ":Class", "neither 'web' nor"),
        ("tiktok", "no_such_package:Class", "cannot load"),
        ("tiktok", "json:NoSuchClass", "cannot load"),
        ("instagram", OWN, "a provider of tiktok, not instagram"),
    ],
)
def test_a_wrong_setting_says_what_is_wrong(platform: str, provider: str, says: str) -> None:
    with pytest.raises(UnknownProviderError, match=says):
        build(platform, provider)
