"""TikTok as Bright Data's scrapers collect it.

Documented: a record is a profile, or a post; `account_id` is the handle and `profile_username` the
name that people read. Large counts are rounded as TikTok's pages round them. Lists do not tell
which posts are pinned.
"""

from datetime import datetime
from pathlib import Path

from scrapers import payload, posting_times
from scrapers.paid.run_dialect import ItemDialect
from scrapers.paid.settings import routes_in
from scrapers.payload import Json, at, count_at, flag_at, id_at, name_at, text_at, web_url_at
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot
from scrapers.urls.posts import parse_post_url
from scrapers.urls.tiktok import PLATFORM, post_url, profile_url


class TikTokDialect(ItemDialect):
    """How Bright Data is asked about TikTok."""

    platform = PLATFORM
    routes = routes_in(Path(__file__).parent)

    def name_of_profile(self, handle: str) -> str:
        """Return the profile's URL."""
        return profile_url(handle)

    def name_of_list(self, handle: str) -> str:
        """Return the profile's URL."""
        return profile_url(handle)

    def name_of_post(self, target: PostTarget) -> str:
        """Return the URL."""
        return post_url(target.platform_video_id, target.handle)

    def read_account(
        self, item: Json, target: AccountTarget, captured_at: datetime
    ) -> AccountSnapshot:
        """Read a profile."""
        observed = name_at(item, "account_id")
        followers, posts = count_at(item, "followers"), count_at(item, "videos_count")
        if observed is None or (followers is None and posts is None):
            raise payload.schema_changed("a profile without account_id or counters", item)
        return AccountSnapshot(
            platform=PLATFORM,
            handle=target.handle,
            observed_handle=observed.lower(),
            platform_user_id=id_at(item, "id"),
            platform_alt_id=name_at(item, "secu_id"),
            display_name=text_at(item, "nickname"),
            biography=text_at(item, "biography"),
            bio_link=web_url_at(item, "bio_link"),
            avatar_url=web_url_at(item, "profile_pic_url_hd", "profile_pic_url"),
            is_private=flag_at(item, "is_private"),
            is_verified=flag_at(item, "is_verified"),
            follower_count=followers,
            following_count=count_at(item, "following"),
            total_likes_count=count_at(item, "likes"),
            video_count=posts,
            is_exact=False,
            source="",
            captured_at=captured_at,
        )

    def read_video(self, item: Json, captured_at: datetime) -> VideoSnapshot:
        """Read a post."""
        item_id = id_at(item, "post_id")
        if item_id is None:
            raise payload.schema_changed("a post without post_id", item)
        link = parse_post_url(text_at(item, "url") or "")
        handle = (link.handle if link else None) or name_at(item, "account_id")
        handle = handle.lower() if handle else None
        media_type = "photo" if at(item, "carousel_images/0") is not None else "video"
        told = payload.iso_instant_at(item, "create_time")
        posted_at, is_estimate = posting_times.on_tiktok(told, item_id)
        return VideoSnapshot(
            platform=PLATFORM,
            platform_video_id=item_id,
            platform_user_id=id_at(item, "profile_id"),
            handle=handle,
            url=post_url(item_id, handle, media_type),
            caption=text_at(item, "description"),
            media_type=media_type,
            duration_seconds=payload.seconds_at(item, "video_duration"),
            thumbnail_url=web_url_at(item, "preview_image"),
            posted_at=posted_at,
            posted_at_is_estimate=is_estimate,
            view_count=count_at(item, "play_count"),
            like_count=count_at(item, "digg_count"),
            comment_count=count_at(item, "comment_count"),
            share_count=count_at(item, "share_count", "num_share_count"),
            save_count=count_at(item, "collect_count"),
            is_exact=False,
            source="",
            captured_at=captured_at,
        )
