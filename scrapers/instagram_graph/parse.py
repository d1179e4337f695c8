"""Reads responses of business discovery. Pure functions: objects in, snapshots or ScrapeError out.

Here `id` is the Facebook-side id and `ig_id` the Instagram id. A post's own `id` belongs to a
third space, so its permalink identifies it. The API omits fields without a value.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from scrapers import payload, posting_times
from scrapers.discovery import TimelinePage, TimelinePaging, read_each, too_short
from scrapers.findings import ListedPost, through_known_posts
from scrapers.instagram_graph.settings import routes
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json, at, count_at, id_at, name_at, text_at, web_url_at
from scrapers.snapshots import AccountSnapshot, DuePost, VideoSnapshot
from scrapers.urls.any_platform import parse_post_url
from scrapers.urls.instagram import PLATFORM, post_url
from scrapers.urls.link import PostUrl
from scrapers.urls.shortcode import uploaded_at

SOURCE = "instagram.business_discovery"

_MEDIA_TYPES = {"IMAGE": "photo", "VIDEO": "video", "CAROUSEL_ALBUM": "carousel"}
_COUNTERS = ("view_count", "like_count", "comments_count")
_CURSOR = re.compile(r"[\w+/=:.-]{1,1000}", re.ASCII)


@dataclass(frozen=True, slots=True)
class DiscoveryPage:
    account: AccountSnapshot
    timeline: TimelinePage


def parse_profile(
    answer: dict[str, Json], *, handle: str, captured_at: datetime
) -> AccountSnapshot:
    return _account(_discovered(answer), handle, captured_at)


def parse_page(answer: dict[str, Json], *, handle: str, captured_at: datetime) -> DiscoveryPage:
    """Read an account and a page of its posts. Raises ScrapeError.

    Without posts, or after the last one, `media` or its `paging` may be missing.
    """
    user = _discovered(answer)
    account = _account(user, handle, captured_at)
    items = payload.items_at(user, "media/data")
    _check_counters(items)
    own = [item for item in items if is_owned(item, account)]
    posts, unread = read_each(
        own, lambda item: ListedPost(video_in(item, account), is_pinned=False)
    )
    return DiscoveryPage(account, TimelinePage(posts, _cursor(user), unread))


def _discovered(answer: dict[str, Json]) -> dict[str, Json]:
    user = payload.mapping_at(answer, routes().discovery.root)
    if user is None:
        raise payload.schema_changed("the response lacks the requested account", answer)
    return user


def _cursor(user: dict[str, Json]) -> str | None:
    """Return the cursor of the next page, checked because it becomes part of a request."""
    return cursor_at(user, "media/paging/cursors/after")


def cursor_at(tree: Json, path: str) -> str | None:
    """Return the cursor at a path, None if missing. Raises ScrapeError."""
    cursor = at(tree, path)
    if cursor is None or (isinstance(cursor, str) and _CURSOR.fullmatch(cursor)):
        return cursor
    raise payload.schema_changed("a cursor with unexpected characters", cursor)


def _account(user: dict[str, Json], handle: str, captured_at: datetime) -> AccountSnapshot:
    observed = name_at(user, "username")
    followers, posts = count_at(user, "followers_count"), count_at(user, "media_count")
    if observed is None:
        raise payload.schema_changed("an account without username", user)
    if followers is None and posts is None:
        raise payload.schema_changed("no known counter in an account", user)
    return AccountSnapshot(
        platform=PLATFORM,
        handle=handle,
        observed_handle=observed.lower(),
        platform_user_id=id_at(user, "ig_id"),
        platform_alt_id=id_at(user, "id"),
        display_name=text_at(user, "name"),
        biography=text_at(user, "biography"),
        bio_link=web_url_at(user, "website"),
        avatar_url=web_url_at(user, "profile_picture_url"),
        is_private=None,
        is_verified=None,
        follower_count=followers,
        following_count=count_at(user, "follows_count"),
        total_likes_count=None,
        video_count=posts,
        is_exact=True,
        source=SOURCE,
        captured_at=captured_at,
    )


def _check_counters(items: list[Json]) -> None:
    """Raise ScrapeError if no post has a counter: the API renamed them."""
    if items and not any(at(item, name) is not None for item in items for name in _COUNTERS):
        raise payload.schema_changed("no known counter in a page of posts", items[0])


def is_owned(item: Json, account: AccountSnapshot) -> bool:
    """Return whether a post is the account's own; a shared one names its owner."""
    owner = name_at(item, "username")
    return owner is None or owner.lower() == account.observed_handle


def video_in(item: Json, account: AccountSnapshot) -> VideoSnapshot:
    """Read one post of an account. Raises ScrapeError."""
    link = _link(item)
    pk = str(link.platform_video_id)
    posted_at, is_estimate = posting_times.on_instagram(_published_at(item), pk)
    return VideoSnapshot(
        platform=PLATFORM,
        platform_video_id=pk,
        platform_user_id=account.platform_user_id,
        handle=account.observed_handle,
        url=post_url(pk, kind=link.kind),
        caption=text_at(item, "caption"),
        media_type=_MEDIA_TYPES.get(text_at(item, "media_type") or ""),
        duration_seconds=None,
        thumbnail_url=_thumbnail(item),
        posted_at=posted_at,
        posted_at_is_estimate=is_estimate,
        view_count=count_at(item, "view_count"),
        like_count=count_at(item, "like_count"),
        comment_count=count_at(item, "comments_count"),
        share_count=None,
        save_count=None,
        is_exact=True,
        source=SOURCE,
        captured_at=account.captured_at,
    )


def _link(item: Json) -> PostUrl:
    link = parse_post_url(text_at(item, "permalink") or "")
    if link is None or link.platform != PLATFORM or link.platform_video_id is None:
        raise payload.schema_changed("a post without a permalink", item)
    return link


def _published_at(item: Json) -> datetime | None:
    """Return the publication time; None if missing. Raises ScrapeError."""
    text = text_at(item, "timestamp")
    if text is None:
        return None
    try:
        return payload.plausible_instant(datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z").timestamp())
    except ValueError as error:
        raise payload.schema_changed("a timestamp in an unknown format", text) from error


def _thumbnail(item: Json) -> str | None:
    """Return a picture of the post; the `media_url` of a video is the video itself."""
    is_video = at(item, "media_type") == "VIDEO"
    return web_url_at(item, "thumbnail_url", *(() if is_video else ("media_url",)))


class MediaPaging(TimelinePaging):
    """One crawl back, to `since` and to every known or `due` post that still exists.

    The API shows a post only on its page of the list, so a crawl continues to the last known post,
    or to the last due one with a schedule. One request brings fifty posts; fetching each takes one
    or more.
    """

    def __init__(
        self,
        *,
        since: datetime,
        known: Collection[str],
        due: Sequence[DuePost] | None = None,
        behind: str | None = None,
        by_pages: bool = False,
    ) -> None:
        route = routes().discovery
        super().__init__(
            since=since,
            known=known,
            pages=route.pages,
            fruitless_pages=route.fruitless_pages,
            due=due,
            far_enough=through_known_posts(uploaded_at),
            behind=behind,
            by_pages=by_pages,
        )


def missing_post(paging: TimelinePaging, account: AccountSnapshot | None) -> ScrapeError:
    """Return why paging through an account's posts did not come to a post."""
    listed, in_profile = paging.findings.listed_count, account.video_count if account else None
    if paging.ran_out and (lacking := too_short(listed, in_profile)):
        return ScrapeError(Outcome.OUT_OF_REACH, lacking)
    if paging.findings.unread:
        return ScrapeError(Outcome.OUT_OF_REACH, "posts of its account could not be read")
    if paging.is_complete:
        return ScrapeError(Outcome.POST_UNAVAILABLE, "the account no longer shows this post")
    return ScrapeError(Outcome.OUT_OF_REACH, "the post is older than a fetch reads back")
