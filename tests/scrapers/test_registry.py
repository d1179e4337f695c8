"""Provider settings give providers, or an error that says what is wrong."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import SecretStr

from scrapers.instagram.provider import InstagramProvider
from scrapers.instagram_graph.provider import InstagramGraphProvider
from scrapers.provider import Clock, Credentials, Provider
from scrapers.registry import UnknownProviderError, build_provider
from scrapers.tiktok.provider import TikTokProvider
from scrapers.transport.pacing import Pace

OWN = f"{__name__}:OwnProvider"
CREDENTIALS = Credentials(user_id="1", access_token=SecretStr("invented-token"))
PACE = Pace(2, 1.0)


def clock() -> datetime:
    return datetime(2026, 9, 8, tzinfo=UTC)


class OwnProvider:
    """A custom provider without fetches."""

    platform = "tiktok"

    def __init__(self, *, base_url: str, pace: Pace, clock: Clock) -> None:
        self.arguments = (base_url, pace, clock)


def build(platform: str, provider: str, credentials: Credentials | None = CREDENTIALS) -> Provider:
    return build_provider(
        platform,
        provider=provider,
        base_url="http://127.0.0.1:9/x",
        pace=PACE,
        clock=clock,
        credentials=credentials,
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


async def test_graph_is_instagrams_official_api(closing: Callable[[Any], Any]) -> None:
    provider = closing(build("instagram", "graph"))
    assert isinstance(provider, InstagramGraphProvider)
    assert (provider.platform, provider.name) == ("instagram", "graph")


def test_the_official_api_needs_credentials() -> None:
    with pytest.raises(UnknownProviderError, match="'graph' needs credentials"):
        build("instagram", "graph", credentials=None)


def test_a_users_own_is_built_with_base_url_pace_and_clock() -> None:
    provider: Any = build("tiktok", OWN)
    assert provider.arguments == ("http://127.0.0.1:9/x", PACE, clock)


@pytest.mark.parametrize(
    ("platform", "provider", "says"),
    [
        ("youtube", "web", "unknown platform 'youtube'"),
        ("tiktok", "graph", "is for 'instagram', not 'tiktok'"),
        ("tiktok", "webb", "neither 'web' nor 'graph' nor"),
        ("tiktok", ":Class", "neither 'web' nor"),
        ("tiktok", "no_such_package:Class", "cannot load"),
        ("tiktok", "json:NoSuchClass", "cannot load"),
        ("instagram", OWN, "is for tiktok, not instagram"),
    ],
)
def test_a_wrong_setting_says_what_is_wrong(platform: str, provider: str, says: str) -> None:
    with pytest.raises(UnknownProviderError, match=says):
        build(platform, provider)
