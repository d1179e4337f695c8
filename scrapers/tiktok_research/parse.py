"""Reads the Research API's responses. Pure functions: objects in, snapshots or ScrapeError out.

A profile has no handle and id, a post no author id. So a handle's new owner cannot be recognized.
"""

from dataclasses import dataclass
from datetime import datetime

from scrapers import payload, posting_times
from scrapers.comments import CommentPage
from scrapers.findings import ListedPost
from scrapers.payload import Json, count_at, cursor_at, flag_at, id_at, name_at, text_at, web_url_at
from scrapers.snapshots import (
    AccountSnapshot,
    AccountTarget,
    CommentSnapshot,
    PostTarget,
    VideoSnapshot,
)
from scrapers.urls.tiktok import PLATFORM, post_url

USER, VIDEOS, COMMENTS = (
    "research.tiktok_user_info",
    "research.tiktok_video_query",
    "research.tiktok_comment_list",
)
"""Sources of readings."""


@dataclass(frozen=True, slots=True)
class VideoPage:
    """A page of a query's posts, with `search_id` and `cursor` of the next page, if any."""

    posts: tuple[ListedPost, ...]
    cursor: int | None
    search_id: str | None


def read_user(
    data: dict[str, Json], target: AccountTarget, captured_at: datetime
) -> AccountSnapshot:
    followers, posts = count_at(data, "follower_count"), count_at(data, "video_count")
    if followers is None and posts is None:
        raise payload.schema_changed("no known counter in a profile", data)
    return AccountSnapshot(
        platform=PLATFORM,
        handle=target.handle,
        observed_handle=target.handle,
        platform_user_id=target.platform_user_id,
        platform_alt_id=target.platform_alt_id,
        display_name=text_at(data, "display_name"),
        biography=text_at(data, "bio_description"),
        bio_link=web_url_at(data, "bio_url"),
        avatar_url=web_url_at(data, "avatar_url"),
        is_private=None,
        is_verified=flag_at(data, "is_verified"),
        follower_count=followers,
        following_count=count_at(data, "following_count"),
        total_likes_count=count_at(data, "likes_count"),
        video_count=posts,
        is_exact=False,
        source=USER,
        captured_at=captured_at,
    )


def read_videos(data: dict[str, Json], captured_at: datetime) -> VideoPage:
    if "videos" not in data:
        raise payload.schema_changed("the response has no videos", data)
    has_more, cursor = flag_at(data, "has_more"), cursor_at(data, "cursor")
    if has_more is None or (has_more and cursor is None):
        raise payload.schema_changed("a list without has_more or cursor", data)
    items = payload.items_at(data, "videos")
    posts = tuple(ListedPost(_video(item, captured_at), is_pinned=False) for item in items)
    return VideoPage(posts, cursor if has_more else None, id_at(data, "search_id"))


def _video(item: Json, captured_at: datetime) -> VideoSnapshot:
    item_id, handle = id_at(item, "id"), name_at(item, "username")
    if item_id is None:
        raise payload.schema_changed("a post without an id", item)
    handle = handle.lower() if handle else None
    instant = payload.instant_at(item, "create_time")
    posted_at, is_estimate = posting_times.on_tiktok(instant, item_id)
    return VideoSnapshot(
        platform=PLATFORM,
        platform_video_id=item_id,
        platform_user_id=None,
        handle=handle,
        url=post_url(item_id, handle),
        caption=text_at(item, "video_description"),
        media_type="video",
        duration_seconds=payload.seconds_at(item, "video_duration"),
        thumbnail_url=None,
        posted_at=posted_at,
        posted_at_is_estimate=is_estimate,
        view_count=count_at(item, "view_count"),
        like_count=count_at(item, "like_count"),
        comment_count=count_at(item, "comment_count"),
        share_count=count_at(item, "share_count"),
        save_count=count_at(item, "favorites_count", "favourites_count"),
        is_exact=False,
        source=VIDEOS,
        captured_at=captured_at,
    )


def read_comments(data: dict[str, Json], target: PostTarget, captured_at: datetime) -> CommentPage:
    """Read a page of comments. Replies among them are only counted."""
    if "comments" not in data:
        raise payload.schema_changed("the response has no comments", data)
    has_more, cursor = flag_at(data, "has_more"), cursor_at(data, "cursor")
    if has_more is None or (has_more and cursor is None):
        raise payload.schema_changed("a list without has_more or cursor", data)
    items = payload.items_at(data, "comments")
    top = (item for item in items if _parent(item) in (None, target.platform_video_id))
    comments = tuple(_comment(item, target, captured_at) for item in top)
    return CommentPage(comments, cursor=str(cursor) if has_more else None)


def _parent(item: Json) -> str | None:
    return id_at(item, "parent_comment_id")


def _comment(item: Json, target: PostTarget, captured_at: datetime) -> CommentSnapshot:
    comment_id = id_at(item, "id")
    if comment_id is None:
        raise payload.schema_changed("a comment without an id", item)
    if id_at(item, "video_id") not in (target.platform_video_id, None):
        raise payload.schema_changed(
            f"asked for comments of {target.platform_video_id}, got others", item
        )
    return CommentSnapshot(
        platform=PLATFORM,
        platform_video_id=target.platform_video_id,
        platform_comment_id=comment_id,
        text=text_at(item, "text") or "",
        like_count=count_at(item, "like_count"),
        reply_count=count_at(item, "reply_count"),
        author_unique_id=None,
        author_nickname=None,
        posted_at=payload.instant_at(item, "create_time"),
        source=COMMENTS,
        captured_at=captured_at,
    )
