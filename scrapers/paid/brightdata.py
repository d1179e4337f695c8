"""Bright Data: profiles and posts of TikTok and Instagram, by collections of its scrapers.

Each record has a price. Formats are those of published documentation: see `brightdata.toml`.
"""

from typing import ClassVar

from scrapers.paid.fields import Fields, by, handle_at, kind_at, reel_at
from scrapers.paid.items import ItemDialect
from scrapers.paid.settings import routes_of
from scrapers.payload import (
    Json,
    at,
    count_at,
    flag_at,
    id_at,
    iso_instant_at,
    name_at,
    seconds_at,
    text_at,
    web_url_at,
)
from scrapers.urls import instagram, tiktok
from scrapers.urls.any_platform import parse_post_url

ROUTES = routes_of("brightdata")


def _author(item: Json) -> str | None:
    """Return the handle of a post's owner, from the post's URL if it has one."""
    link = parse_post_url(text_at(item, "url") or "")
    return (link and link.handle and link.handle.lower()) or handle_at(item, "account_id")


class BrightDataTikTok(ItemDialect):
    """A record is a profile or a post. Lists do not show which posts are pinned.

    `account_id` is the handle, `profile_username` the display name. Large counts are rounded as
    on TikTok's pages.
    """

    platform = tiktok.PLATFORM
    routes = ROUTES
    is_exact = False
    account_fields: ClassVar[Fields] = {
        "observed_handle": by(handle_at, "account_id"),
        "follower_count": by(count_at, "followers"),
        "video_count": by(count_at, "videos_count"),
        "platform_user_id": by(id_at, "id"),
        "platform_alt_id": by(name_at, "secu_id"),
        "display_name": by(text_at, "nickname"),
        "biography": by(text_at, "biography"),
        "bio_link": by(web_url_at, "bio_link"),
        "avatar_url": by(web_url_at, "profile_pic_url_hd", "profile_pic_url"),
        "is_private": by(flag_at, "is_private"),
        "is_verified": by(flag_at, "is_verified"),
        "following_count": by(count_at, "following"),
        "total_likes_count": by(count_at, "likes"),
    }
    post_fields: ClassVar[Fields] = {
        "platform_video_id": by(id_at, "post_id"),
        "handle": _author,
        "media_type": lambda item: "video" if at(item, "carousel_images/0") is None else "photo",
        "posted_at": by(iso_instant_at, "create_time"),
        "platform_user_id": by(id_at, "profile_id"),
        "caption": by(text_at, "description"),
        "duration_seconds": by(seconds_at, "video_duration"),
        "thumbnail_url": by(web_url_at, "preview_image"),
        "view_count": by(count_at, "play_count"),
        "like_count": by(count_at, "digg_count"),
        "comment_count": by(count_at, "comment_count"),
        "share_count": by(count_at, "share_count", "num_share_count"),
        "save_count": by(count_at, "collect_count"),
    }


_MEDIA_TYPES = {"Image": "photo", "Video": "video", "Reel": "video", "Carousel": "carousel"}


class BrightDataInstagram(ItemDialect):
    """A record is a profile, with its handle in `account`, or a post, whose owner is `user_posted`.

    `video_play_count` is what Instagram shows as views; `video_view_count` is an older count.
    Followers of very large accounts are rounded.
    """

    platform = instagram.PLATFORM
    routes = ROUTES
    is_exact = False
    account_fields: ClassVar[Fields] = {
        "observed_handle": by(handle_at, "account"),
        "follower_count": by(count_at, "followers"),
        "video_count": by(count_at, "posts_count"),
        "platform_user_id": by(id_at, "id"),
        "platform_alt_id": by(id_at, "fbid"),
        "display_name": by(text_at, "full_name", "profile_name"),
        "biography": by(text_at, "biography"),
        "bio_link": by(web_url_at, "external_url", "external_url/0"),
        "avatar_url": by(web_url_at, "profile_image_link"),
        "is_private": by(flag_at, "is_private"),
        "is_verified": by(flag_at, "is_verified"),
        "following_count": by(count_at, "following"),
    }
    post_fields: ClassVar[Fields] = {
        "platform_video_id": lambda item: id_at(item, "pk") or id_at(item, "post_id"),
        "handle": by(handle_at, "user_posted"),
        "kind": lambda item: (
            "reel" if at(item, "content_type") == "Reel" else reel_at(item, "product_type")
        ),
        "platform_user_id": by(id_at, "user_posted_id"),
        "caption": by(text_at, "description"),
        "media_type": by(kind_at, "content_type", _MEDIA_TYPES),
        "duration_seconds": by(seconds_at, "videos_duration/0/video_duration"),
        "thumbnail_url": by(web_url_at, "thumbnail"),
        "posted_at": by(iso_instant_at, "date_posted"),
        "view_count": by(count_at, "video_play_count"),
        "like_count": by(count_at, "likes"),
        "comment_count": by(count_at, "num_comments"),
    }
