"""The providers over real HTTP, against simulated platforms that share no code with them."""

from datetime import timedelta
from typing import Any

import pytest

from scrapers.findings import ESTIMATE_SLACK
from scrapers.outcomes import Outcome
from scrapers.provider import Provider
from scrapers.snapshots import AccountTarget, PostTarget
from tests.fixtures.simulated import NOW
from warehouse.pictures.fetching import Fetcher

pytestmark = pytest.mark.usefixtures("without_backoff")

SINCE = NOW - timedelta(days=30)


def target(simulator: Any, platform: str, handle: str) -> AccountTarget:
    """Return the account as registered after a first profile."""
    true = simulator.world.profile(platform, handle, NOW)
    return AccountTarget(
        platform=platform,
        handle=handle,
        platform_user_id=true.platform_user_id,
        platform_alt_id=true.platform_alt_id,
    )


def plain_handle(simulator: Any, platform: str) -> str:
    """Return a public account with a month full of posts."""
    world = simulator.world
    busy = (
        handle
        for handle in world.handles(platform)
        if sum(post.posted_at >= SINCE for post in world.posts(platform, handle, NOW)) > 30
    )
    return next(busy)


@pytest.mark.parametrize("platform", ["tiktok", "instagram"])
async def test_profiles_show_the_true_counts_or_say_that_they_are_rounded(
    simulator: Any, providers: dict[str, Provider], platform: str
) -> None:
    for handle in simulator.world.handles(platform):
        report = await providers[platform].profile(AccountTarget(platform=platform, handle=handle))
        true = simulator.world.profile(platform, handle, NOW)
        if true is None:
            assert report.outcome is Outcome.NOT_FOUND
            continue
        seen = report.account
        assert (seen.platform_user_id, seen.platform_alt_id, seen.is_private) == (
            true.platform_user_id,
            true.platform_alt_id,
            true.is_private,
        )
        if seen.is_exact:
            assert (seen.follower_count, seen.following_count, seen.total_likes_count) == (
                true.follower_count,
                true.following_count,
                true.total_likes_count,
            )
        else:
            assert seen.follower_count == pytest.approx(true.follower_count, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["tiktok", "instagram"])
async def test_discovery_finds_every_post_of_the_window_and_no_other(
    simulator: Any, providers: dict[str, Provider], platform: str
) -> None:
    for handle in simulator.world.handles(platform)[:25]:
        true = simulator.world.profile(platform, handle, NOW)
        if true is None or true.is_private:
            continue
        report = await providers[platform].discover(
            target(simulator, platform, handle), since=SINCE, known=()
        )
        posts = {p.platform_video_id: p for p in simulator.world.posts(platform, handle, NOW)}
        seen = {video.platform_video_id for video in report.videos}
        assert (report.outcome, report.reached_known) == (Outcome.OK, True)
        assert seen >= {key for key, post in posts.items() if post.posted_at >= SINCE}
        near = SINCE - ESTIMATE_SLACK
        assert seen <= {key for key, post in posts.items() if post.posted_at >= near}


@pytest.mark.parametrize("platform", ["tiktok", "instagram"])
async def test_every_known_counter_of_a_post_is_the_true_one(
    simulator: Any, providers: dict[str, Provider], platform: str
) -> None:
    handle = plain_handle(simulator, platform)
    posts = simulator.world.posts(platform, handle, NOW)[:12]
    counters = ("view_count", "like_count", "comment_count", "share_count", "save_count")
    compared = 0
    for post in posts:
        post_target = PostTarget(platform=platform, platform_video_id=post.platform_video_id)
        report = await providers[platform].post(post_target)
        for video in report.videos:
            assert video.posted_at == post.posted_at
            assert video.duration_seconds == (post.duration_seconds or None)
            for counter in counters:
                seen = getattr(video, counter)
                if seen is not None and video.is_exact:
                    assert seen == getattr(post, counter)
                    compared += 1
    assert compared >= 20


@pytest.mark.parametrize("platform", ["tiktok", "instagram"])
async def test_posts_have_pictures_that_can_be_fetched(
    simulator: Any, providers: dict[str, Provider], platform: str
) -> None:
    account = target(simulator, platform, plain_handle(simulator, platform))
    report = await providers[platform].discover(account, since=SINCE, known=())
    pictures = set()
    for video in report.videos[:3]:
        assert video.thumbnail_url is not None
        picture, media_type = Fetcher(loopback=True).fetch(video.thumbnail_url)
        assert media_type == "image/png"
        pictures.add(picture)
    assert len(pictures) == 3, "each post has its own"
