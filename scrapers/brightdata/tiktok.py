"""TikTok as Bright Data's scrapers return it.

Documented: a record is a profile or a post. `account_id` is the handle, `profile_username` the
display name. Large counts are rounded as on TikTok's pages. Lists do not show which posts are
pinned.
"""

from pathlib import Path

from scrapers.paid.fields import Fields, by, handle_at
from scrapers.paid.run_dialect import ItemDialect
from scrapers.paid.settings import routes_in
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
from scrapers.urls.posts import parse_post_url
from scrapers.urls.tiktok import PLATFORM


def _author(item: Json) -> str | None:
    """Return the handle of a post's owner, from the post's URL if it has one."""
    link = parse_post_url(text_at(item, "url") or "")
    return (link and link.handle and link.handle.lower()) or handle_at(item, "account_id")


_ACCOUNT: Fields = {
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
_POST: Fields = {
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


class TikTokDialect(ItemDialect):
    platform = PLATFORM
    routes = routes_in(Path(__file__).parent)
    is_exact = False
    account_fields = _ACCOUNT
    post_fields = _POST
