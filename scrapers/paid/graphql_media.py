"""Instagram's accounts and posts in the shape of its old web API, as commercial providers pass on.

Pure: objects in, snapshots or ScrapeError out. `source` is the provider's to fill in.
"""

from datetime import datetime

from scrapers import payload
from scrapers.paid.fields import (
    Fields,
    by,
    handle_at,
    read_account,
    read_instagram_post,
    reel_at,
    shown_likes_at,
)
from scrapers.payload import Json, count_at, flag_at, id_at, text_at, web_url_at
from scrapers.snapshots import AccountSnapshot, AccountTarget, VideoSnapshot

_TYPE_NAMES = {"Image": "photo", "Video": "video", "Sidecar": "carousel"}


def _media_type(media: Json) -> str | None:
    name = text_at(media, "__typename") or ""
    return next((kind for end, kind in _TYPE_NAMES.items() if name.endswith(end)), None)


_ACCOUNT: Fields = {
    "observed_handle": by(handle_at, "username"),
    "platform_user_id": by(id_at, "id"),
    "follower_count": by(count_at, "edge_followed_by/count"),
    "following_count": by(count_at, "edge_follow/count"),
    "platform_alt_id": by(id_at, "fbid"),
    "display_name": by(text_at, "full_name"),
    "biography": by(text_at, "biography"),
    "bio_link": by(web_url_at, "external_url", "bio_links/0/url"),
    "avatar_url": by(web_url_at, "profile_pic_url_hd", "profile_pic_url"),
    "is_private": by(flag_at, "is_private"),
    "is_verified": by(flag_at, "is_verified"),
    "video_count": by(count_at, "edge_owner_to_timeline_media/count"),
}
_POST: Fields = {
    "platform_video_id": by(id_at, "id"),
    "handle": by(handle_at, "owner/username"),
    "posted_at": by(payload.instant_at, "taken_at_timestamp"),
    "like_count": by(shown_likes_at, "edge_media_preview_like/count", "edge_liked_by/count"),
    "platform_user_id": by(id_at, "owner/id"),
    "kind": by(reel_at, "product_type"),
    "caption": by(text_at, "edge_media_to_caption/edges/0/node/text"),
    "media_type": _media_type,
    "duration_seconds": by(payload.seconds_at, "video_duration"),
    "thumbnail_url": by(web_url_at, "display_url", "thumbnail_src"),
    "view_count": by(count_at, "video_play_count"),
    "comment_count": by(
        count_at, "edge_media_to_parent_comment/count", "edge_media_to_comment/count"
    ),
}


def read_user(
    user: dict[str, Json], target: AccountTarget, captured_at: datetime
) -> AccountSnapshot:
    """Read an account."""
    if id_at(user, "id") is None:
        raise payload.schema_changed("a profile without an id", user)
    counters = "follower_count", "following_count"
    return read_account(user, _ACCOUNT, target, captured_at, is_exact=True, counters=counters)


def read_media(media: Json, captured_at: datetime) -> VideoSnapshot:
    """Read a post. Likes that its owner hides stay unknown."""
    return read_instagram_post(media, _POST, captured_at)
