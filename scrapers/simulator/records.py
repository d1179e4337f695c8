"""The truth of the simulated world at one time; documents are made from these records.

Counts are true, whether or not a route shows them: flags say what is hidden. None means that the
platform has no such number (no plays of a photo, no shares on Instagram).
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Platform(StrEnum):
    TIKTOK = "tiktok"
    INSTAGRAM = "instagram"


class Kind(StrEnum):
    """What is special about a creator."""

    PLAIN = "plain"
    DORMANT = "dormant"
    """Stopped posting before EPOCH."""
    PRIVATE = "private"
    """Has a profile but shows no posts."""
    RENAMED = "renamed"
    """Has a second handle from some time in the six weeks after EPOCH, and no longer the first."""
    VANISHED = "vanished"
    """The account is deleted at some time in the six weeks after EPOCH."""


class AccountType(StrEnum):
    """Instagram's types of account: the official API has professional ones only."""

    PERSONAL = "personal"
    BUSINESS = "business"
    CREATOR = "creator"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueProfile:
    """A profile at one time.

    `platform_alt_id` is TikTok's secUid or Instagram's Facebook-side id. `shows_exact_counts` is
    False for TikTok accounts whose responses lack `statsV2`, and so have rounded counts only.
    """

    platform: Platform
    handle: str
    kind: Kind
    account_type: AccountType
    platform_user_id: str
    platform_alt_id: str
    display_name: str
    biography: str
    bio_link: str | None
    joined_at: datetime
    is_verified: bool
    is_private: bool
    shows_exact_counts: bool
    follower_count: int
    following_count: int
    total_likes_count: int | None
    video_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TruePost:
    """A post at one time. `media_type` is video, photo or carousel; the duration is in seconds.

    `likes_hidden` and `plays_hidden`: Instagram shows null or a wrong number. `is_restricted`: its
    own page requires a login. `coauthors` are handles.
    """

    platform: Platform
    platform_video_id: str
    shortcode: str | None
    handle: str
    platform_user_id: str
    url: str
    caption: str | None
    hashtags: tuple[str, ...]
    media_type: str
    duration_seconds: int
    posted_at: datetime
    is_pinned: bool
    is_restricted: bool
    likes_hidden: bool
    plays_hidden: bool
    coauthors: tuple[str, ...]
    view_count: int | None
    like_count: int
    comment_count: int
    share_count: int | None
    save_count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueComment:
    """A comment that exists at one time; replies to it are only counted."""

    platform: Platform
    platform_comment_id: str
    platform_video_id: str
    text: str
    author_handle: str
    author_name: str
    author_id: str
    written_at: datetime
    is_edited: bool
    like_count: int
    reply_count: int
