"""Every platform has all its parts; the tests name a new platform's missing ones."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scrapers.outcomes import Outcome
from scrapers.provider import Provider
from scrapers.registry import build_provider, use_routes
from scrapers.simulator import Kind, RunningSimulator, World, running_simulator
from scrapers.snapshots import AccountTarget, PostTarget
from scrapers.transport.pacing import Pace
from scrapers.urls import normalize_handle, parse_post_url, post_url, profile_url
from scrapers.urls.sites import SITES
from warehouse.platforms import PLATFORM_NAMES, PLATFORMS
from warehouse.settings import REPOSITORY, Settings

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)
PAYLOADS = Path(__file__).parent / "payloads"

pytestmark = pytest.mark.parametrize("platform", PLATFORMS)


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with running_simulator(World(seed=11, creators=5)) as running:
        running.set_now(NOW)
        yield running


@pytest.fixture
async def provider(simulator: RunningSimulator, platform: str) -> AsyncIterator[Provider]:
    """The platform's provider of public pages, on the simulator."""
    built = build_provider(
        platform,
        provider="web",
        base_url=f"{simulator.base_url}/{platform}",
        pace=Pace(8, 10_000.0),
        clock=lambda: NOW,
    )
    yield built
    await built.aclose()


async def test_a_made_up_account_is_read_and_its_posts_have_their_addresses(
    simulator: RunningSimulator, provider: Provider, platform: str
) -> None:
    handle = simulator.world.handles(platform, kind=Kind.PLAIN)[0]
    assert normalize_handle(platform, profile_url(platform, handle)) == handle

    profile = await provider.profile(AccountTarget(platform=platform, handle=handle))
    listed = await provider.discover(
        AccountTarget(
            platform=platform,
            handle=handle,
            platform_user_id=profile.account.platform_user_id,
            platform_alt_id=profile.account.platform_alt_id,
        ),
        since=NOW - timedelta(days=30),
        known=(),
    )
    assert listed.outcome is Outcome.OK
    true = {post.platform_video_id: post for post in simulator.world.posts(platform, handle, NOW)}
    assert listed.videos
    for video in listed.videos:
        named = parse_post_url(video.url)
        assert (named.platform, named.platform_video_id) == (platform, video.platform_video_id)
        assert video.url == named.canonical_url == true[video.platform_video_id].url
        assert post_url(platform, video.platform_video_id, handle, named.kind) == video.url

    newest = listed.videos[0].platform_video_id
    alone = await provider.post(
        PostTarget(platform=platform, platform_video_id=newest, handle=handle)
    )
    assert [video.platform_video_id for video in alone.videos] == [newest]


def test_its_settings_exist_and_lead_to_the_real_site(platform: str) -> None:
    defaults = {name: setting.default for name, setting in Settings.model_fields.items()}
    assert defaults[f"{platform}_base_url"] == SITES[platform].SITE
    assert defaults[f"{platform}_requests_per_day"] is None
    use_routes(platform, defaults[f"{platform}_routes"])


def test_its_payloads_and_their_tests_are_in_the_usual_folders(platform: str) -> None:
    assert list((PAYLOADS / platform).glob("*.json"))
    assert list((REPOSITORY / "tests/scrapers" / platform).glob("test_*.py"))


def test_people_have_a_name_for_it(platform: str) -> None:
    assert PLATFORM_NAMES[platform].lower() == platform
