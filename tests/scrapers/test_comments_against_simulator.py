"""Comment crawls of both providers over real HTTP, against the simulator's true comments."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scrapers.outcomes import Outcome
from scrapers.provider import CommentProvider
from scrapers.simulator import World, running_simulator
from scrapers.snapshots import PostTarget, ScrapeReport

pytestmark = pytest.mark.usefixtures("without_backoff")

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)
PLATFORMS = ["tiktok", "instagram"]
MOST_COMMENTS = 1_000


@pytest.fixture(scope="module")
def simulator() -> Iterator[Any]:
    with running_simulator(World(seed=11, creators=40)) as running:
        running.set_now(NOW)
        yield running


def post_with(simulator: Any, platform: str, least: int, most: int) -> Any:
    """Return a public post with `least` to `most` visible comments."""
    world = simulator.world
    for handle in world.handles(platform, at=NOW):
        for post in world.posts(platform, handle, NOW):
            is_near = not post.is_restricted and least <= post.comment_count <= 2 * most
            if is_near and least <= len(true_comments(simulator, post)) <= most:
                return post
    raise LookupError((platform, least, most))


def true_comments(simulator: Any, post: Any) -> list[Any]:
    """Return the true visible comments of a post."""
    creator_post = simulator.world.find_post(post.platform, post.platform_video_id, NOW)
    comments: list[Any] = simulator.world.comments(*creator_post, NOW)
    return comments


async def comment_crawl(provider: CommentProvider, post: Any) -> ScrapeReport:
    return await provider.comments(
        PostTarget(
            platform=post.platform, platform_video_id=post.platform_video_id, handle=post.handle
        )
    )


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_a_crawl_returns_every_comment(
    simulator: Any, providers: dict[str, CommentProvider], platform: str
) -> None:
    post = post_with(simulator, platform, 120, 400)
    report = await comment_crawl(providers[platform], post)
    assert report.outcome is Outcome.OK
    assert report.comment_crawl.is_complete
    assert report.comment_crawl.platform_comment_count == post.comment_count
    seen = {comment.platform_comment_id: comment for comment in report.comment_crawl.comments}
    true = {comment.platform_comment_id: comment for comment in true_comments(simulator, post)}
    assert seen.keys() == true.keys()
    for comment_id, comment in seen.items():
        truth = true[comment_id]
        assert (comment.text, comment.like_count, comment.reply_count, comment.posted_at) == (
            truth.text,
            truth.like_count,
            truth.reply_count,
            truth.written_at,
        )
        assert comment.author_unique_id == truth.author_handle
        assert comment.author_nickname == (truth.author_name if platform == "tiktok" else None)


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_a_missing_post_is_not_a_post_without_comments(
    simulator: Any, providers: dict[str, CommentProvider], platform: str
) -> None:
    world, then = simulator.world, NOW - timedelta(days=30)
    gone = next(
        post
        for handle in world.handles(platform, at=then)
        for post in world.posts(platform, handle, then)
        if world.visible_post(*world.find_post(platform, post.platform_video_id, NOW), NOW) is None
    )
    report = await comment_crawl(providers[platform], gone)
    assert report.outcome in {Outcome.POST_UNAVAILABLE, Outcome.PRIVATE}
    assert not report.comment_crawl.comments


async def test_a_restricted_post_shows_guests_of_instagram_no_comments(
    simulator: Any, providers: dict[str, CommentProvider]
) -> None:
    world = simulator.world
    gated = next(
        post
        for handle in world.handles("instagram", at=NOW)
        for post in world.posts("instagram", handle, NOW)
        if post.is_restricted
    )
    report = await comment_crawl(providers["instagram"], gated)
    assert report.outcome is Outcome.GATED
