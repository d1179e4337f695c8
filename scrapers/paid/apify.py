"""Apify: profiles and posts of TikTok and Instagram, by runs of Actors from its store.

Each result has a price. Formats are those of published documentation: see `apify.toml`.
"""

from typing import ClassVar

from scrapers.paid.fields import Fields, by, handle_at, kind_at, reel_at
from scrapers.paid.items import ItemDialect
from scrapers.paid.settings import routes_of
from scrapers.payload import (
    count_at,
    flag_at,
    id_at,
    instant_at,
    iso_instant_at,
    name_at,
    seconds_at,
    text_at,
    web_url_at,
)
from scrapers.urls import instagram, tiktok

ROUTES = routes_of("apify")


class ApifyTikTok(ItemDialect):
    """An item is a post, with its author and the author's counters in `authorMeta`.

    Large counts are rounded as on TikTok's pages. An account without posts has no item, so no
    reading. It takes the URL of a video for photos too.
    """

    platform = tiktok.PLATFORM
    routes = ROUTES
    profiles_by_url = False
    lists_by_url = False
    is_exact = False
    account_fields: ClassVar[Fields] = {
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
    post_fields: ClassVar[Fields] = {
        "platform_video_id": by(id_at, "id"),
        "handle": by(handle_at, "authorMeta/name"),
        "media_type": lambda item: "photo" if flag_at(item, "isSlideshow") else "video",
        "posted_at": lambda item: (
            instant_at(item, "createTime") or iso_instant_at(item, "createTimeISO")
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


_MEDIA_TYPES = {"Image": "photo", "Video": "video", "Sidecar": "carousel"}


class ApifyInstagram(ItemDialect):
    """An item is a profile, or a post with its owner in `ownerUsername` and `ownerId`.

    Likes that an owner hides are -1. `videoPlayCount` is what Instagram shows as views;
    `videoViewCount` is an older count.
    """

    platform = instagram.PLATFORM
    routes = ROUTES
    profiles_by_url = False
    account_fields: ClassVar[Fields] = {
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
    post_fields: ClassVar[Fields] = {
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
