"""The provider that the settings choose reaches its platform."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from orchestration.resources.providers import open_provider
from scrapers.provider import CommentProvider
from scrapers.registry import CONNECTED, GRAPH, PAID, WEB, UnknownProviderError
from scrapers.routes_file import BadRoutesError
from scrapers.simulator import RunningSimulator
from serving_api.resources.comments.collected.scope import platforms_without_comments
from tests.orchestration.conftest import FIRST_DAY
from warehouse.platforms import PLATFORMS
from warehouse.provider_settings import BUILT_IN
from warehouse.settings import Settings

KEYS = {
    **{f"{name}_api_key": "an-invented-key" for name in PAID},
    **{
        f"{platform}_login_client_{part}": f"an-invented-{part}"
        for platform in ("tiktok", "instagram")
        for part in ("id", "secret")
    },
}


@pytest.fixture
def settings_with(tmp_path: Path, database_url: str, simulator: RunningSimulator) -> Any:
    def build(**changes: Any) -> Settings:
        simulator.set_now(FIRST_DAY)
        return Settings(
            _env_file=None,
            home=tmp_path,
            database_url=database_url,
            now=FIRST_DAY,
            scrape_requests_per_second=10_000.0,
            tiktok_base_url=simulator.tiktok_url,
            instagram_base_url=simulator.instagram_url,
            instagram_graph_user_id="17841400000000000",
            instagram_graph_access_token="an-invented-token",
            **changes,
        )

    return build


@pytest.mark.parametrize("provider", ["web", "graph"])
async def test_instagram_is_read_by_the_chosen_route_and_tiktok_by_its_own(
    settings_with: Any, provider: str
) -> None:
    settings = settings_with(instagram_provider=provider)
    async with (
        open_provider(settings, "instagram") as instagram,
        open_provider(settings, "tiktok") as tiktok,
    ):
        assert (instagram.name, tiktok.name) == (provider, "web")


def test_the_settings_know_the_names_of_all_built_in_providers() -> None:
    assert set(BUILT_IN) == {WEB, GRAPH, *CONNECTED, *PAID}


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_the_api_knows_which_providers_show_comments(
    settings_with: Any, platform: str
) -> None:
    readers = set()
    for name in BUILT_IN:
        settings = settings_with(**KEYS, **{f"{platform}_provider": name})
        with suppress(UnknownProviderError):  # of providers for the other platform
            async with open_provider(settings, platform) as provider:
                shows_none = platform in platforms_without_comments(settings)
                assert shows_none is not isinstance(provider, CommentProvider), name
                readers.add(name)
    assert "web" in readers


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (("graph",), "is for 'instagram', not 'tiktok'"),
        (("web", "no_such_package:Class"), "cannot load the provider"),
    ],
)
async def test_an_unknown_provider_is_named(
    settings_with: Any, names: tuple[str, ...], says: str
) -> None:
    with pytest.raises(UnknownProviderError, match=says):
        async with open_provider(settings_with(tiktok_providers=names), "tiktok"):
            pass


async def test_a_file_of_routes_that_cannot_be_used_is_refused_by_its_name(
    settings_with: Any, tmp_path: Path
) -> None:
    file = tmp_path / "my-routes.toml"
    file.write_text("[pages]\nprofile = 7\n", encoding="utf-8")
    with pytest.raises(BadRoutesError, match=r"my-routes.toml: pages.profile: Input should be"):
        async with open_provider(settings_with(tiktok_routes=file), "tiktok"):
            pytest.fail("it was used")
    async with open_provider(settings_with(), "tiktok") as provider:
        assert provider.name
