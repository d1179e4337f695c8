"""The official API on real HTTP against the made-up one, which was written without this client."""

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from scrapers.outcomes import Outcome
from scrapers.provider import Credentials, Provider
from scrapers.registry import build_provider
from scrapers.simulator import (
    AccountType,
    Fault,
    FaultKind,
    Kind,
    RunningSimulator,
    TruePost,
)
from scrapers.snapshots import AccountTarget, PostTarget, VideoSnapshot
from scrapers.transport.pacing import Pace
from tests.fixtures.simulated import NOW

pytestmark = pytest.mark.usefixtures("without_backoff")

SINCE = NOW - timedelta(days=60)


@pytest.fixture
async def provider(simulator: RunningSimulator) -> AsyncIterator[Provider]:
    built = build_provider(
        "instagram",
        provider="graph",
        base_url=simulator.graph_url,
        pace=Pace(4, 10_000.0),
        clock=lambda: NOW,
        credentials=Credentials(user_id="17841400000000000", access_token=SecretStr("t")),
    )
    yield built
    await built.aclose()


@pytest.fixture
def handles(simulator: RunningSimulator) -> list[str]:
    """Accounts that business discovery shows, the one with the most posts first."""
    world = simulator.world
    profiles = [world.profile("instagram", h, NOW) for h in world.handles("instagram", at=NOW)]
    businesses = [
        p
        for p in profiles
        if p and p.account_type is not AccountType.PERSONAL and p.kind is not Kind.PRIVATE
    ]
    return [p.handle for p in sorted(businesses, key=lambda p: -p.video_count)]


def account(handle: str) -> AccountTarget:
    return AccountTarget(platform="instagram", handle=handle)


def counts(video: VideoSnapshot) -> tuple[int | None, ...]:
    return video.view_count, video.like_count, video.comment_count


def true_counts(post: TruePost) -> tuple[int | None, ...]:
    return post.view_count, None if post.likes_hidden else post.like_count, post.comment_count


async def test_profiles_show_the_true_counts(
    simulator: RunningSimulator, provider: Provider, handles: list[str]
) -> None:
    for handle in handles:
        seen = (await provider.profile(account(handle))).account
        true = simulator.world.profile("instagram", handle, NOW)
        assert seen is not None
        assert true is not None
        assert (seen.platform_user_id, seen.platform_alt_id, seen.is_exact) == (
            true.platform_user_id,
            true.platform_alt_id,
            True,
        )
        assert (seen.follower_count, seen.following_count, seen.video_count) == (
            true.follower_count,
            true.following_count,
            true.video_count,
        )


async def test_personal_and_private_accounts_are_out_of_reach(
    simulator: RunningSimulator, provider: Provider, handles: list[str]
) -> None:
    others = set(simulator.world.handles("instagram", at=NOW)) - set(handles)
    assert others
    for handle in others:
        assert (await provider.profile(account(handle))).outcome is Outcome.OUT_OF_REACH


@pytest.mark.slow
async def test_discovery_reads_every_post_of_the_window_with_its_true_counts(
    simulator: RunningSimulator, provider: Provider, handles: list[str]
) -> None:
    several_pages = 0
    for handle in handles[:10]:
        report = await provider.discover(account(handle), since=SINCE, known=())
        posts = simulator.world.posts("instagram", handle, NOW)
        expected = {p.platform_video_id: true_counts(p) for p in posts if p.posted_at >= SINCE}
        assert (report.outcome, report.reached_known) == (Outcome.OK, True)
        assert {v.platform_video_id: counts(v) for v in report.videos} == expected
        assert {v.posted_at for v in report.videos} == {
            p.posted_at for p in posts if p.posted_at >= SINCE
        }
        several_pages += len(expected) > 50
    assert several_pages


async def test_known_posts_of_any_age_are_read_anew(
    simulator: RunningSimulator, provider: Provider, handles: list[str]
) -> None:
    posts = simulator.world.posts("instagram", handles[0], NOW)
    platform_video_ids = {post.platform_video_id for post in posts}
    assert min(post.posted_at for post in posts) < SINCE
    report = await provider.discover(account(handles[0]), since=SINCE, known=platform_video_ids)
    assert {video.platform_video_id for video in report.videos} == platform_video_ids


async def test_one_post_new_or_old_is_found_and_a_foreign_one_is_not(
    simulator: RunningSimulator, provider: Provider, handles: list[str]
) -> None:
    posts = simulator.world.posts("instagram", handles[0], NOW)
    for post in (posts[0], posts[55], posts[-1]):
        target = PostTarget(
            platform="instagram", platform_video_id=post.platform_video_id, handle=handles[0]
        )
        report = await provider.post(target)
        assert [counts(video) for video in report.videos] == [true_counts(post)]
    foreign = simulator.world.posts("instagram", handles[1], NOW)[0].platform_video_id
    target = PostTarget(platform="instagram", platform_video_id=foreign, handle=handles[0])
    assert (await provider.post(target)).outcome is Outcome.POST_UNAVAILABLE


async def test_the_same_page_for_ever_is_called_off(
    provider: Provider, fault: Callable[..., None], handles: list[str]
) -> None:
    fault(Fault(kind=FaultKind.SAME_PAGE))
    report: Any = await provider.discover(account(handles[0]), since=SINCE, known=())
    assert (report.outcome, report.reached_known) == (Outcome.BLOCKED_SILENT, False)
    assert len(report.videos) == 50


@pytest.mark.parametrize("kind", [FaultKind.SERVER_ERROR, FaultKind.RESET, FaultKind.EMPTY_PAGE])
async def test_a_fault_that_passes_leaves_no_gap(
    simulator: RunningSimulator,
    provider: Provider,
    fault: Callable[..., None],
    handles: list[str],
    kind: FaultKind,
) -> None:
    fault(Fault(kind=kind, times=1))
    report = await provider.discover(account(handles[0]), since=SINCE, known=())
    posts = simulator.world.posts("instagram", handles[0], NOW)
    platform_video_ids = [p.platform_video_id for p in posts if p.posted_at >= SINCE]
    assert report.outcome is Outcome.OK
    assert [video.platform_video_id for video in report.videos] == platform_video_ids
