"""The providers on real HTTP against the made-up platforms, which were written without them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest

from scrapers.findings import ESTIMATE_SLACK
from scrapers.outcomes import Outcome
from scrapers.provider import Provider
from scrapers.simulator import Fault, FaultKind
from scrapers.snapshots import AccountTarget, PostTarget, newest_of
from scrapers.urls import ShortLinks, normalize_handle, resolve_post_url
from scrapers.urls.shortcode import uploaded_at
from tests.fixtures.simulated import NOW
from warehouse.pictures.fetching import Fetcher

pytestmark = pytest.mark.usefixtures("without_backoff")

SINCE = NOW - timedelta(days=30)


def target(simulator: Any, platform: str, handle: str) -> AccountTarget:
    """The account as the registry knows it after a first profile."""
    true = simulator.world.profile(platform, handle, NOW)
    return AccountTarget(
        platform=platform,
        handle=handle,
        platform_user_id=true.platform_user_id,
        platform_alt_id=true.platform_alt_id,
    )


def plain_handle(simulator: Any, platform: str) -> str:
    """An account that is neither private nor gone, with a month full of posts."""
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
        assert seen is not None
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


@pytest.mark.slow
async def test_a_reel_uploaded_hours_before_the_start_and_published_after_it_is_found(
    simulator: Any, providers: dict[str, Provider]
) -> None:
    late = [
        (handle, post)
        for handle in simulator.world.handles("instagram")
        for post in simulator.world.posts("instagram", handle, NOW)
        if post.posted_at >= SINCE
        and post.posted_at - uploaded_at(post.platform_video_id) > timedelta(hours=1)
    ]
    assert len(late) >= 5
    for handle, post in late:
        since = post.posted_at - timedelta(minutes=1)
        account = target(simulator, "instagram", handle)
        report = await providers["instagram"].discover(account, since=since, known=())
        assert post.platform_video_id in {video.platform_video_id for video in report.videos}


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


async def test_renamed_tiktok_accounts_are_found_under_their_new_handles(
    simulator: Any, providers: dict[str, Provider]
) -> None:
    later = NOW + timedelta(days=400)
    world = simulator.world
    handles = [h for h in world.handles("tiktok") if world.profile("tiktok", h, NOW)]
    simulator.set_now(later)
    reports = [await providers["tiktok"].profile(target(simulator, "tiktok", h)) for h in handles]
    simulator.set_now(NOW)
    renamed = [
        account
        for report in reports
        if (account := report.account) and account.observed_handle != account.handle
    ]
    assert renamed
    for account in renamed:
        true = world.profile("tiktok", account.observed_handle, later)
        assert true.platform_user_id == account.platform_user_id
        assert world.profile("tiktok", account.handle, later) is None


async def test_renamed_instagram_accounts_are_found_by_a_post_of_theirs(
    simulator: Any, providers: dict[str, Provider]
) -> None:
    later, world = NOW + timedelta(days=400), simulator.world
    before = {h: world.profile("instagram", h, NOW) for h in world.handles("instagram")}
    renamed = {h: p for h, p in before.items() if p and not world.profile("instagram", h, later)}
    simulator.set_now(later)
    renames = 0
    for handle, true in renamed.items():
        posts = [post.platform_video_id for post in world.posts("instagram", handle, NOW)]
        account_target = AccountTarget(
            platform="instagram",
            handle=handle,
            platform_user_id=true.platform_user_id,
            known_post=newest_of(posts),
        )
        report = await providers["instagram"].profile(account_target)
        if account := report.account:
            assert account.platform_user_id == true.platform_user_id
            assert account.observed_handle != account.handle == handle
            renames += 1
    simulator.set_now(NOW)
    assert renames


@pytest.mark.parametrize("platform", ["tiktok", "instagram"])
def test_short_links_lead_to_accounts_and_posts(simulator: Any, platform: str) -> None:
    bases = {"tiktok": simulator.tiktok_url, "instagram": simulator.instagram_url}
    handle = plain_handle(simulator, platform)
    true = simulator.world.profile(platform, handle, NOW)
    post = simulator.world.posts(platform, handle, NOW)[0]
    with httpx.Client() as client:
        links = ShortLinks(client, base_urls=bases)
        assert normalize_handle(platform, true.short_url, links) == handle
        address = resolve_post_url(post.short_url, links)
    assert address is not None
    assert address.platform_video_id == post.platform_video_id


async def test_accounts_and_posts_that_are_not_there_are_seen_as_such(
    providers: dict[str, Provider], simulator: Any
) -> None:
    nobody = AccountTarget(platform="instagram", handle="nobody.at.all")
    assert (await providers["instagram"].profile(nobody)).outcome is Outcome.NOT_FOUND
    nothing = PostTarget(platform="instagram", platform_video_id="3981064899117325116")
    assert (await providers["instagram"].post(nothing)).outcome is Outcome.POST_UNAVAILABLE


QUERY_FAULTS = [
    ("tiktok", FaultKind.EMPTY_BODY, Outcome.BLOCKED_SILENT),
    ("tiktok", FaultKind.CAPTCHA, Outcome.CHALLENGED),
    ("tiktok", FaultKind.SAME_PAGE, Outcome.BLOCKED_SILENT),
    ("tiktok", FaultKind.CHANGED_SHAPE, Outcome.SCHEMA_CHANGED),
    ("instagram", FaultKind.RETIRED_QUERY, Outcome.SCHEMA_CHANGED),
    ("instagram", FaultKind.EXECUTION_ERROR, Outcome.SCHEMA_CHANGED),
    ("instagram", FaultKind.QUERY_LIMIT, Outcome.RATE_LIMITED),
    ("instagram", FaultKind.LOOP_PREFIX, Outcome.OK),
]


@pytest.mark.parametrize(("platform", "kind", "outcome"), QUERY_FAULTS)
async def test_a_fault_of_the_query_routes_ends_a_discovery(
    simulator: Any,
    providers: dict[str, Provider],
    fault: Callable[..., None],
    platform: str,
    *,
    kind: FaultKind,
    outcome: Outcome,
) -> None:
    fault(Fault(kind=kind, path=f"/{platform}/api/*"))
    account = target(simulator, platform, plain_handle(simulator, platform))
    report = await providers[platform].discover(account, since=SINCE, known=())
    assert report.outcome is outcome
    assert report.reached_known is (outcome is Outcome.OK)


@pytest.mark.parametrize("kind", [FaultKind.SERVER_ERROR, FaultKind.RESET, FaultKind.EMPTY_PAGE])
async def test_a_fault_that_passes_leaves_no_gap(
    simulator: Any,
    providers: dict[str, Provider],
    fault: Callable[..., None],
    kind: FaultKind,
) -> None:
    handle = plain_handle(simulator, "tiktok")
    account = target(simulator, "tiktok", handle)
    fault(Fault(kind=kind, path="/tiktok/api/*", times=1))
    report = await providers["tiktok"].discover(account, since=SINCE, known=())
    posts = simulator.world.posts("tiktok", handle, NOW)
    assert report.outcome is Outcome.OK
    assert {video.platform_video_id for video in report.videos} == {
        post.platform_video_id for post in posts if post.posted_at >= SINCE
    }


@pytest.mark.parametrize("platform", ["tiktok", "instagram"])
async def test_posts_are_shown_with_pictures_that_can_be_had(
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
    assert len(pictures) == 3, "posts have each their own"
