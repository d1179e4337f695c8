"""TikTok as Apify's programs collect it.

Documented: an item is a post, with its author and the author's counters under `authorMeta`. They
round large counts as TikTok's pages do. An account without posts has no item, so no reading.
"""

from datetime import datetime
from pathlib import Path

from scrapers import payload, posting_times
from scrapers.paid.run_dialect import ItemDialect
from scrapers.paid.settings import routes_in
from scrapers.payload import Json, count_at, flag_at, id_at, name_at, text_at, web_url_at
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot
from scrapers.urls.tiktok import PLATFORM, post_url


class TikTokDialect(ItemDialect):
    """How Apify is asked about TikTok."""

    platform = PLATFORM
    routes = routes_in(Path(__file__).parent)

    def name_of_profile(self, handle: str) -> str:
        """Return the handle: the author of the newest post is the account."""
        return handle

    def name_of_list(self, handle: str) -> str:
        """Return the handle."""
        return handle

    def name_of_post(self, target: PostTarget) -> str:
        """Return the URL: that of a video for photos too, which is the form that is taken."""
        return post_url(target.platform_video_id, target.handle)

    def read_account(
        self, item: Json, target: AccountTarget, captured_at: datetime
    ) -> AccountSnapshot:
        """Read a profile."""
        author = payload.mapping_at(item, "authorMeta") or {}
        observed = name_at(author, "name")
        followers, posts = count_at(author, "fans"), count_at(author, "video")
        if observed is None or (followers is None and posts is None):
            raise payload.schema_changed("an author without name or counters", item)
        return AccountSnapshot(
            platform=PLATFORM,
            handle=target.handle,
            observed_handle=observed.lower(),
            platform_user_id=id_at(author, "id"),
            platform_alt_id=name_at(author, "secUid"),
            display_name=text_at(author, "nickName"),
            biography=text_at(author, "signature"),
            bio_link=web_url_at(author, "bioLink"),
            avatar_url=web_url_at(author, "originalAvatarUrl", "avatar"),
            is_private=flag_at(author, "privateAccount"),
            is_verified=flag_at(author, "verified"),
            follower_count=followers,
            following_count=count_at(author, "following"),
            total_likes_count=count_at(author, "heart"),
            video_count=posts,
            is_exact=False,
            source="",
            captured_at=captured_at,
        )

    def read_video(self, item: Json, captured_at: datetime) -> VideoSnapshot:
        """Read a post."""
        item_id, handle = id_at(item, "id"), name_at(item, "authorMeta/name")
        if item_id is None:
            raise payload.schema_changed("a post without an id", item)
        handle = handle.lower() if handle else None
        media_type = "photo" if flag_at(item, "isSlideshow") else "video"
        told = payload.instant_at(item, "createTime") or payload.iso_instant_at(
            item, "createTimeISO"
        )
        posted_at, is_estimate = posting_times.on_tiktok(told, item_id)
        return VideoSnapshot(
            platform=PLATFORM,
            platform_video_id=item_id,
            platform_user_id=id_at(item, "authorMeta/id"),
            handle=handle,
            url=post_url(item_id, handle, media_type),
            caption=text_at(item, "text"),
            media_type=media_type,
            duration_seconds=payload.seconds_at(item, "videoMeta/duration"),
            thumbnail_url=web_url_at(item, "videoMeta/coverUrl", "videoMeta/originalCoverUrl"),
            posted_at=posted_at,
            posted_at_is_estimate=is_estimate,
            view_count=count_at(item, "playCount"),
            like_count=count_at(item, "diggCount"),
            comment_count=count_at(item, "commentCount"),
            share_count=count_at(item, "shareCount"),
            save_count=count_at(item, "collectCount"),
            is_exact=False,
            source="",
            captured_at=captured_at,
        )
