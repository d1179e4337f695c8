"""What a scrape saw: frozen records, times in UTC, and None for every count that was not shown.

Nothing here knows a platform's wire format (`scrapers/<platform>/parse.py` does) or where the
records go (`warehouse/landing` does, by the same field names).
"""

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import datetime

from scrapers.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class DuePost:
    """A post whose counters are to be read. `posted_at` is None where nothing tells its time."""

    platform_video_id: str
    posted_at: datetime | None


@dataclass(frozen=True, slots=True)
class PageCursor:
    """Where a crawl through an account's posts goes on: behind the pages that it has read.

    `cursor` means something to the provider of that name alone.
    """

    provider: str
    cursor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountTarget:
    """An account to fetch, as the registry knows it.

    `platform_alt_id` is the platform's second identifier: TikTok's secUid, Instagram's
    Facebook-side id. Both ids are None until a first profile was seen. `known_post` is the
    platform_video_id of a post of it: its page names the handle that a renamed account has now.
    A list is read on for the posts that are `due`; where that is None, for none but new ones. It is
    read from `behind` on, where that is a place of the provider's own; `by_pages` it may be left
    behind each page that brought posts, with a report that tells where to go on. `video_count` is
    how many posts the profile counted in the same fetch, None where it was not read.
    """

    platform: str
    handle: str
    platform_user_id: str | None = None
    platform_alt_id: str | None = None
    known_post: str | None = None
    due: tuple[DuePost, ...] | None = None
    behind: PageCursor | None = None
    by_pages: bool = False
    video_count: int | None = None

    @property
    def known_as(self) -> str | None:
        """The handle of an account that was seen before; None of one that never was."""
        return self.handle if self.platform_user_id is not None else None

    def cursor_of(self, provider: str) -> str | None:
        """Return the cursor to begin at, None for the newest posts."""
        return self.behind.cursor if self.behind and self.behind.provider == provider else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostTarget:
    """One post to fetch. `handle` may be None (a post added by URL).

    `platform_user_id` is its account's, None where unknown.
    """

    platform: str
    platform_video_id: str
    handle: str | None = None
    platform_user_id: str | None = None

    @property
    def known_as(self) -> str | None:
        """The handle of its account, which showed the post before; None if added by URL."""
        return self.handle


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountSnapshot:
    """One reading of a public profile.

    `handle` is the one asked for, `observed_handle` the one shown (they differ after a rename).
    `is_exact` is False where the platform rounds the counts it shows.
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
class VideoSnapshot:
    """One reading of a post ('video' is the contract's word for every kind of post).

    `platform_video_id` is TikTok's item id or Instagram's pk, always a string of digits.
    `posted_at_is_estimate` marks a time derived from the id (see `posting_times`). `source` names
    the route read. A field `_count` is a counter, None where it was not shown.
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
        """Whether it shows any counter: some lists name posts without them."""
        counters = (field.name for field in fields(self) if field.name.endswith("_count"))
        return any(getattr(self, counter) is not None for counter in counters)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentSnapshot:
    """One comment as a page of a post's comments showed it; replies to it are only counted.

    `text` is empty for a picture or sticker alone. `author_unique_id` is the handle.
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
    """What a comment crawl saw.

    `is_complete` tells that it reached the end of the list: comments that it did not see are gone.
    `platform_comment_count` is the platform's own number, which counts replies too.
    """

    comments: tuple[CommentSnapshot, ...]
    is_complete: bool
    platform_comment_count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrapeReport:
    """How one fetch of a target ended: the outcome, and what was seen on the way.

    `detail` is one line for people. `videos` may hold the pages read before a failure: an
    outcome other than OK never discards what was observed. `reached_known` tells of a discovery
    that it got back to the start or to posts already known, so no gap is left behind it, and
    `goes_on` where the next may take over from one that did not, if its route knows. Only
    comment fetches have `comment_crawl`. `was_sent` is False where no request was sent, since the
    route is left alone or a budget is spent. `wait_seconds` tells of such a fetch that saw nothing,
    since the platform wants to be left alone for so long: it may be taken later.
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
