"""Checks that a commercial provider returned what was requested. Pure functions.

It may return cached data, or another account.
"""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet

from scrapers import payload
from scrapers.discovery import hold_to
from scrapers.findings import ListedPost, is_owned
from scrapers.payload import Json
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot


def require_account(target: AccountTarget, account: AccountSnapshot) -> None:
    """Raise ScrapeError if a profile belongs to another account.

    With the same handle it is the handle's next owner. With another handle it is the renamed
    account if the ids match, otherwise a wrong response.
    """
    is_same_handle = account.observed_handle == target.handle.lower()
    is_same_id = target.platform_user_id and account.platform_user_id == target.platform_user_id
    if not (is_same_handle or is_same_id):
        raise payload.schema_changed(f"asked for {target.handle}, got {account.observed_handle}")
    hold_to(target, account)


def own_posts(
    target: AccountTarget,
    posts: Sequence[ListedPost],
    answer: Json,
    *,
    is_named: bool = False,
    shared: AbstractSet[str] = frozenset(),
) -> tuple[ListedPost, ...]:
    """Return the account's own posts of a page, and those of which it is a co-author (`shared`).

    Raises ScrapeError if none is either, unless the response names the account (`is_named`), and
    if none has a counter.
    """
    videos = [post.video for post in posts]
    if not is_named and shared.isdisjoint(video.platform_video_id for video in videos):
        require_own_posts(target, videos, answer)
    require_counters(videos, answer)
    return tuple(
        post
        for post in posts
        if is_owned(target, post.video) or post.video.platform_video_id in shared
    )


def require_own_posts(
    target: AccountTarget, videos: Collection[VideoSnapshot], answer: Json
) -> None:
    """Raise ScrapeError if a page has posts but none of the account's."""
    if videos and not any(is_owned(target, video) for video in videos):
        raise payload.schema_changed(f"asked for posts of {target.handle}, got others'", answer)


def require_post(target: PostTarget, video: VideoSnapshot, answer: Json) -> None:
    """Raise ScrapeError for another post, or one without any counter."""
    expected, got = target.platform_video_id, video.platform_video_id
    if got != expected:
        raise payload.schema_changed(f"asked for {expected}, got {got}", answer)
    require_counters([video], answer)


def require_counters(videos: Collection[VideoSnapshot], answer: Json) -> None:
    """Raise ScrapeError if no post has a counter: the provider renamed them."""
    counters = [(v.view_count, v.like_count, v.comment_count) for v in videos]
    if counters and all(count is None for counts in counters for count in counts):
        raise payload.schema_changed("no known counter in any post", answer)
