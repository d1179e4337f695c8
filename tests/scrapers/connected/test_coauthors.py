"""Co-authored posts when only a co-author has connected: the post is in its author's list only."""

from datetime import UTC, datetime
from typing import Any

import pytest

from scrapers.fallback_chain import with_fallbacks
from scrapers.instagram.provider import InstagramProvider
from scrapers.instagram_login.provider import InstagramLoginProvider
from scrapers.outcomes import Outcome
from scrapers.simulator import AccountType, Kind, TruePost, World, running_simulator
from scrapers.snapshots import PostTarget
from scrapers.transport.pacing import Pace
from tests.scrapers.connected.test_against_simulator import tokens_of

pytestmark = pytest.mark.usefixtures("without_backoff")

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)


def coauthored(world: World) -> tuple[TruePost, str]:
    """Return a post and one of its co-authors with a professional account."""
    for handle in world.handles("instagram", kind=Kind.PLAIN, at=NOW):
        for post in world.posts("instagram", handle, NOW):
            for coauthor in post.coauthors:
                profile = world.profile("instagram", coauthor, NOW)
                if profile and profile.account_type is not AccountType.PERSONAL:
                    return post, coauthor
    raise AssertionError("the world has no such post")


async def test_the_next_provider_reads_it(fake_time: Any) -> None:
    with running_simulator(World(seed=11, creators=60)) as simulator:
        simulator.set_now(NOW)
        post, coauthor = coauthored(simulator.world)
        tokens = tokens_of(simulator, "instagram")
        tokens.connect(coauthor)
        made: dict[str, Any] = {
            "pace": Pace(4, 10_000.0),
            "clock": lambda: NOW,
            "sleep": fake_time.sleep,
        }
        chain = with_fallbacks(
            [
                InstagramLoginProvider(
                    base_url=simulator.instagram_login_url, tokens=tokens, **made
                ),
                InstagramProvider(base_url=simulator.instagram_url, **made),
            ]
        )
        try:
            report = await chain.post(
                PostTarget(
                    platform="instagram",
                    platform_video_id=post.platform_video_id,
                    handle=coauthor,
                )
            )
        finally:
            await chain.aclose()
    [video] = report.videos
    assert (report.outcome, video.platform_video_id) == (Outcome.OK, post.platform_video_id)
    assert video.like_count == post.like_count
