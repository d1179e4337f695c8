"""TikTok as Apify's Actors return it.

Documented: an item is a post, with its author and the author's counters in `authorMeta`. Large
counts are rounded as on TikTok's pages. An account without posts has no item, so no reading.
"""

from pathlib import Path

from scrapers import payload
from scrapers.paid.fields import Fields, by, handle_at
from scrapers.paid.run_dialect import ItemDialect
from scrapers.paid.settings import routes_in
from scrapers.payload import count_at, flag_at, id_at, name_at, seconds_at, text_at, web_url_at
from scrapers.urls.tiktok import PLATFORM

_ACCOUNT: Fields = {
    "observed_handle": by(handle_at, "authorMeta/name"),
    "follower_count": by(count_at, "authorMeta/fans"),
    "video_count": by(count_at, "authorMeta/video"),
    "platform_user_id": by(id_at, "authorMeta/id"),
    "platform_alt_id": by(name_at, "authorMeta/secUid"),
    "display_name": by(text_at, "authorMeta/nickName"),
    "biography": by(text_at, "authorMeta/signature"),
    "bio_link": by(web_url_at, "authorMeta/bioLink"),
    "avatar_url": by(web_url_at, "authorMeta/originalAvatarUrl", "authorMeta/avatar"),
    "is_private": by(flag_at, "authorMeta/privateAccount"),
    "is_verified": by(flag_at, "authorMeta/verified"),
    "following_count": by(count_at, "authorMeta/following"),
    "total_likes_count": by(count_at, "authorMeta/heart"),
}
_POST: Fields = {
    "platform_video_id": by(id_at, "id"),
    "handle": by(handle_at, "authorMeta/name"),
    "media_type": lambda item: "photo" if flag_at(item, "isSlideshow") else "video",
    "posted_at": lambda item: (
        payload.instant_at(item, "createTime") or payload.iso_instant_at(item, "createTimeISO")
    ),
    "platform_user_id": by(id_at, "authorMeta/id"),
    "caption": by(text_at, "text"),
    "duration_seconds": by(seconds_at, "videoMeta/duration"),
    "thumbnail_url": by(web_url_at, "videoMeta/coverUrl", "videoMeta/originalCoverUrl"),
    "view_count": by(count_at, "playCount"),
    "like_count": by(count_at, "diggCount"),
    "comment_count": by(count_at, "commentCount"),
    "share_count": by(count_at, "shareCount"),
    "save_count": by(count_at, "collectCount"),
}


class TikTokDialect(ItemDialect):
    """Apify's requests for TikTok. It takes the URL of a video for photos too."""

    platform = PLATFORM
    routes = routes_in(Path(__file__).parent)
    profiles_by_url = False
    lists_by_url = False
    is_exact = False
    account_fields = _ACCOUNT
    post_fields = _POST
