"""Instagram as Bright Data's scrapers return it.

Documented: a record is a profile, whose handle is `account`, or a post, whose owner is
`user_posted`. `video_play_count` is what Instagram shows as views; `video_view_count` is an older
count. Followers of very large accounts are rounded.
"""

from pathlib import Path

from scrapers.paid.fields import Fields, by, handle_at, kind_at, reel_at
from scrapers.paid.run_dialect import ItemDialect
from scrapers.paid.settings import routes_in
from scrapers.payload import (
    at,
    count_at,
    flag_at,
    id_at,
    iso_instant_at,
    seconds_at,
    text_at,
    web_url_at,
)
from scrapers.urls.instagram import PLATFORM

_MEDIA_TYPES = {"Image": "photo", "Video": "video", "Reel": "video", "Carousel": "carousel"}

_ACCOUNT: Fields = {
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
_POST: Fields = {
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


class InstagramDialect(ItemDialect):
    platform = PLATFORM
    routes = routes_in(Path(__file__).parent)
    is_exact = False
    account_fields = _ACCOUNT
    post_fields = _POST
