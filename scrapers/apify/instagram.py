"""Instagram as Apify's Actors return it.

Documented: an item is a profile with its counters, or a post with its owner in `ownerUsername` and
`ownerId`. Likes that an owner hides are -1. `videoPlayCount` is what Instagram shows as views;
`videoViewCount` is an older count.
"""

from pathlib import Path

from scrapers.paid.fields import Fields, by, handle_at, kind_at, reel_at
from scrapers.paid.run_dialect import ItemDialect
from scrapers.paid.settings import routes_in
from scrapers.payload import (
    count_at,
    flag_at,
    id_at,
    iso_instant_at,
    seconds_at,
    text_at,
    web_url_at,
)
from scrapers.urls.instagram import PLATFORM

_MEDIA_TYPES = {"Image": "photo", "Video": "video", "Sidecar": "carousel"}

_ACCOUNT: Fields = {
    "observed_handle": by(handle_at, "username"),
    "platform_user_id": by(id_at, "id"),
    "follower_count": by(count_at, "followersCount"),
    "video_count": by(count_at, "postsCount"),
    "platform_alt_id": by(id_at, "fbid"),
    "display_name": by(text_at, "fullName"),
    "biography": by(text_at, "biography"),
    "bio_link": by(web_url_at, "externalUrl"),
    "avatar_url": by(web_url_at, "profilePicUrlHD", "profilePicUrl"),
    "is_private": by(flag_at, "private"),
    "is_verified": by(flag_at, "verified"),
    "following_count": by(count_at, "followsCount"),
}
_POST: Fields = {
    "platform_video_id": by(id_at, "id"),
    "handle": by(handle_at, "ownerUsername"),
    "platform_user_id": by(id_at, "ownerId"),
    "kind": by(reel_at, "productType"),
    "caption": by(text_at, "caption"),
    "media_type": by(kind_at, "type", _MEDIA_TYPES),
    "duration_seconds": by(seconds_at, "videoDuration"),
    "thumbnail_url": by(web_url_at, "displayUrl"),
    "posted_at": by(iso_instant_at, "timestamp"),
    "view_count": by(count_at, "videoPlayCount"),
    "like_count": by(count_at, "likesCount"),
    "comment_count": by(count_at, "commentsCount"),
}


class InstagramDialect(ItemDialect):
    platform = PLATFORM
    routes = routes_in(Path(__file__).parent)
    profiles_by_url = False
    account_fields = _ACCOUNT
    post_fields = _POST
