"""Readings and targets: frozen records, times in UTC, None for counts that are not shown.

Wire formats are in `scrapers/<platform>/parse.py`. `warehouse/landing` stores the records under
the same field names.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, cast

from scrapers.counts import RoundedCount
from scrapers.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class DuePost:
    """A post whose counters are due. `posted_at` is None if its time is unknown."""

    platform_video_id: str
    posted_at: datetime | None


@dataclass(frozen=True, slots=True)
class PageCursor:
    """Where a crawl through an account's posts continues, after the pages it has read.

    Only the named provider understands `cursor`.
    """

    provider: str
    cursor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountTarget:
    """An account to fetch, as in the registry.

    `platform_alt_id` is the platform's second identifier: TikTok's secUid, Instagram's
    Facebook-side id. Both ids are None before the first profile. `known_post` is the
    platform_video_id of one of its posts: that post's page names the current handle of a renamed
    account. A list is read on for posts that are `due`; None means only for new ones. It is read
    from `behind`, if that is a cursor of this provider. With `by_pages` it may stop after each
    page with posts, and report where to continue; `listed` counts the posts of earlier pages.
    `video_count` is the number of posts in the
    profile of the same account fetch, None if not read.
    """

    platform: str
    handle: str
    platform_user_id: str | None = None
    platform_alt_id: str | None = None
    known_post: str | None = None
    due: tuple[DuePost, ...] | None = None
    behind: PageCursor | None = None
    by_pages: bool = False
    listed: int = 0
    video_count: int | None = None

    @property
    def known_as(self) -> str | None:
        """The handle of a known account; None if it was never read."""
        return self.handle if self.platform_user_id is not None else None

    def cursor_of(self, provider: str) -> str | None:
        """Return the cursor to begin at, None for the newest posts."""
        return self.behind.cursor if self.behind and self.behind.provider == provider else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostTarget:
    """One post to fetch. `handle` is None if unknown; of a post added by URL it is the URL's.

    `platform_user_id` is its account's id, None if unknown. `was_read` is False before its first
    reading: a URL may be of a post that does not exist. `has_views`: it is a video, or a reading
    showed its views.
    """

    platform: str
    platform_video_id: str
    handle: str | None = None
    platform_user_id: str | None = None
    was_read: bool = True
    has_views: bool = False

    @property
    def known_as(self) -> str | None:
        """The handle of its account, None if one of the two was never read."""
        return self.handle if self.was_read and self.platform_user_id is not None else None


class _Counted:
    """A snapshot with counters: one that is shown rounded makes its reading not exact."""

    __slots__ = ()

    def __post_init__(self) -> None:
        if any(isinstance(count, RoundedCount) for count in self.counters()):
            object.__setattr__(self, "is_exact", False)

    def counters(self) -> Iterator[int | None]:
        """Yield its counters: the fields whose names end in `_count`."""
        names = (field.name for field in fields(cast("Any", self)))
        return (getattr(self, name) for name in names if name.endswith("_count"))


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountSnapshot(_Counted):
    """One reading of a public profile.

    `handle` is the requested handle, `observed_handle` the one shown (different after a rename).
    `is_exact` is False if the platform rounds the counts.
    """

    platform: str
    handle: str
    observed_handle: str
    platform_user_id: str | None
    platform_alt_id: str | None
    display_name: str | None
    biography: str | None
    bio_link: str | None
    avatar_url: str | None
    is_private: bool | None
    is_verified: bool | None
    follower_count: int | None
    following_count: int | None
    total_likes_count: int | None
    video_count: int | None
    is_exact: bool
    source: str
    captured_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoSnapshot(_Counted):
    """One reading of a post ('video' is the contract's word for every kind of post).

    `platform_video_id` is TikTok's item id or Instagram's pk, always a string of digits.
    `posted_at_is_estimate` marks a time derived from the id (see `posting_times`). `source` names
    the route. A field `_count` is a counter, None if not shown.
    """

    platform: str
    platform_video_id: str
    platform_user_id: str | None
    handle: str | None
    url: str
    caption: str | None
    media_type: str | None
    duration_seconds: int | None
    thumbnail_url: str | None
    posted_at: datetime | None
    posted_at_is_estimate: bool
    view_count: int | None
    like_count: int | None
    comment_count: int | None
    share_count: int | None
    save_count: int | None
    is_exact: bool
    source: str
    captured_at: datetime

    @property
    def is_counted(self) -> bool:
        """Whether it has any counter: some lists show posts without counters."""
        return any(count is not None for count in self.counters())


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentSnapshot:
    """One comment from a page of a post's comments; replies to it are only counted.

    `text` is empty for a picture or sticker. `author_unique_id` is the handle.
    """

    platform: str
    platform_video_id: str
    platform_comment_id: str
    text: str
    like_count: int | None
    reply_count: int | None
    author_unique_id: str | None
    author_nickname: str | None
    posted_at: datetime | None
    source: str
    captured_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentCrawl:
    """Result of a comment crawl.

    `is_complete` means that it reached the end of the list, so that missing comments are deleted.
    `platform_comment_count` is the platform's own number, which includes replies.
    """

    comments: tuple[CommentSnapshot, ...]
    is_complete: bool
    platform_comment_count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrapeReport:
    """Result of one fetch: its outcome, and the readings.

    `detail` is one line for people. `videos` may have pages read before a failure: no outcome
    discards readings. `reached_known` says that a discovery got back to the start or to known
    posts, so that no gap is left. Otherwise `goes_on` is where the next may continue, if the route
    supports it. Only comment fetches have `comment_crawl`. `was_sent` is False if no request was
    sent because the route is paused or a budget is spent. `wait_seconds` is set for such a fetch
    without readings: it can be repeated after that time.
    """

    outcome: Outcome
    source: str
    detail: str | None = None
    http_status: int | None = None
    raw_sample: str | None = None
    account: AccountSnapshot | None = None
    videos: tuple[VideoSnapshot, ...] = ()
    reached_known: bool = False
    goes_on: PageCursor | None = None
    comment_crawl: CommentCrawl | None = None
    was_sent: bool = True
    wait_seconds: float | None = None


def newest_of(post_ids: Collection[str]) -> str | None:
    """Return the newest of a platform's posts by their ids, which grow; None for no posts."""
    return max(post_ids, key=lambda post_id: (len(post_id), post_id), default=None)
