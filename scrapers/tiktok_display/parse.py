"""Reads the Display API's responses. Pure functions: responses in, snapshots or ScrapeError out.

They have neither the account's id nor its secUid: the token identifies the account.
"""

from datetime import datetime

from scrapers import payload, posting_times
from scrapers.consent.client import refusal, response_of
from scrapers.consent.tokens import Token
from scrapers.discovery import TimelinePage, read_each
from scrapers.findings import ListedPost
from scrapers.payload import Json, count_at, id_at, name_at, text_at, web_url_at
from scrapers.snapshots import AccountSnapshot, AccountTarget, VideoSnapshot
from scrapers.tiktok_display.settings import routes
from scrapers.transport.answer import Answer
from scrapers.urls.tiktok import PLATFORM, post_url

PROFILE = "tiktok.display_user"
POSTS = "tiktok.display_videos"
POST = "tiktok.display_query"

_OK = "ok"


def accepted(answer: Answer) -> dict[str, Json]:
    """Return a response's `data`. Raises TokenRefusedError, or ScrapeError for other errors."""
    tree = response_of(answer)
    code = text_at(tree, "error/code")
    data = payload.mapping_at(tree, "data")
    if code == _OK and data is not None:
        return data
    message = f"TikTok returned {code!r} (HTTP {answer.status})"
    raise refusal(routes().errors, code, answer, message)


def read_account(
    data: dict[str, Json], target: AccountTarget, token: Token, *, captured_at: datetime
) -> AccountSnapshot:
    """Read the token's account. Raises ScrapeError if it is not the token's subject."""
    user = payload.mapping_at(data, "user")
    observed = name_at(user, "username")
    if name_at(user, "open_id") != token.subject or observed is None:
        raise payload.schema_changed(f"asked for {target.handle}, got another account", user)
    counts = {name: count_at(user, name) for name in ("follower_count", "video_count")}
    if all(count is None for count in counts.values()):
        raise payload.schema_changed("no known counter in an account", user)
    return AccountSnapshot(
        platform=PLATFORM,
        handle=target.handle,
        observed_handle=observed.lower(),
        platform_user_id=token.platform_user_id,
        platform_alt_id=target.platform_alt_id,
        display_name=text_at(user, "display_name"),
        biography=text_at(user, "bio_description"),
        bio_link=None,
        avatar_url=web_url_at(user, "avatar_url"),
        is_private=None,
        is_verified=payload.flag_at(user, "is_verified"),
        follower_count=counts["follower_count"],
        following_count=count_at(user, "following_count"),
        total_likes_count=count_at(user, "likes_count"),
        video_count=counts["video_count"],
        is_exact=True,
        source=PROFILE,
        captured_at=captured_at,
    )


def read_page(
    data: dict[str, Json], account: AccountSnapshot, captured_at: datetime
) -> TimelinePage:
    """Read a page of an account's posts. Raises ScrapeError."""
    videos, unread = read_videos(data, account, captured_at, source=POSTS)
    more = payload.flag_at(data, "has_more")
    if more is None:
        raise payload.schema_changed("a page without has_more", data)
    cursor = payload.number_at(data, "cursor") if more else None
    if more and cursor is None:
        raise payload.schema_changed("a page with a next page but no cursor", data)
    return TimelinePage(
        tuple(ListedPost(video, is_pinned=False) for video in videos),
        cursor=None if cursor is None else str(cursor),
        unread=unread,
    )


def read_videos(
    data: dict[str, Json], account: AccountSnapshot, captured_at: datetime, *, source: str
) -> tuple[tuple[VideoSnapshot, ...], int]:
    """Read posts of the token's account, as `read_each` does.

    Raises ScrapeError if none has a counter. `share_url` may have an older handle of the account.
    """
    items = payload.items_at(data, "videos")
    videos, unread = read_each(items, lambda item: _video(item, account, captured_at, source))
    counters = [(video.view_count, video.like_count, video.comment_count) for video in videos]
    if counters and all(count is None for counts in counters for count in counts):
        raise payload.schema_changed("no known counter in any post", data)
    return videos, unread


def _video(
    item: Json, account: AccountSnapshot, captured_at: datetime, source: str
) -> VideoSnapshot:
    post_id, link = id_at(item, "id"), text_at(item, "share_url") or ""
    if post_id is None:
        raise payload.schema_changed("a post without an id", item)
    instant = payload.instant_at(item, "create_time")
    posted_at, is_estimate = posting_times.on_tiktok(instant, post_id)
    kind = "photo" if "/photo/" in link else "video"
    return VideoSnapshot(
        platform=PLATFORM,
        platform_video_id=post_id,
        platform_user_id=account.platform_user_id,
        # Without its id, an account is known by its requested handle.
        handle=account.observed_handle if account.platform_user_id else account.handle,
        url=post_url(post_id, account.observed_handle, kind),
        caption=text_at(item, "video_description", "title"),
        media_type=kind,
        duration_seconds=payload.seconds_at(item, "duration"),
        thumbnail_url=web_url_at(item, "cover_image_url"),
        posted_at=posted_at,
        posted_at_is_estimate=is_estimate,
        view_count=count_at(item, "view_count"),
        like_count=count_at(item, "like_count"),
        comment_count=count_at(item, "comment_count"),
        share_count=count_at(item, "share_count"),
        save_count=None,
        is_exact=True,
        source=source,
        captured_at=captured_at,
    )
