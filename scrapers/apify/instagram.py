"""Instagram as Apify's programs collect it.

Documented: a profile is an item with its counters; a post is one too, its owner under
`ownerUsername` and `ownerId`. Likes that an owner hides come as -1. `videoPlayCount` is what
Instagram shows as views; `videoViewCount` is another, older count.
"""

from datetime import datetime
from pathlib import Path

from scrapers import payload
from scrapers.paid.run_dialect import ItemDialect
from scrapers.paid.settings import routes_in
from scrapers.payload import Json, at, count_at, flag_at, id_at, name_at, text_at, web_url_at
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot
from scrapers.urls.instagram import PLATFORM, post_url, profile_url

_MEDIA_TYPES = {"Image": "photo", "Video": "video", "Sidecar": "carousel"}


class InstagramDialect(ItemDialect):
    """How Apify is asked about Instagram."""

    platform = PLATFORM
    routes = routes_in(Path(__file__).parent)

    def name_of_profile(self, handle: str) -> str:
        """Return the handle."""
        return handle

    def name_of_list(self, handle: str) -> str:
        """Return the profile's URL."""
        return profile_url(handle)

    def name_of_post(self, target: PostTarget) -> str:
        """Return the URL."""
        return post_url(target.platform_video_id)

    def read_account(
        self, item: Json, target: AccountTarget, captured_at: datetime
    ) -> AccountSnapshot:
        """Read a profile."""
        observed, user_id = name_at(item, "username"), id_at(item, "id")
        followers, posts = count_at(item, "followersCount"), count_at(item, "postsCount")
        if observed is None or (followers is None and posts is None):
            raise payload.schema_changed("a profile without username or counters", item)
        return AccountSnapshot(
            platform=PLATFORM,
            handle=target.handle,
            observed_handle=observed.lower(),
            platform_user_id=user_id,
            platform_alt_id=id_at(item, "fbid"),
            display_name=text_at(item, "fullName"),
            biography=text_at(item, "biography"),
            bio_link=web_url_at(item, "externalUrl"),
            avatar_url=web_url_at(item, "profilePicUrlHD", "profilePicUrl"),
            is_private=flag_at(item, "private"),
            is_verified=flag_at(item, "verified"),
            follower_count=followers,
            following_count=count_at(item, "followsCount"),
            total_likes_count=None,
            video_count=posts,
            is_exact=True,
            source="",
            captured_at=captured_at,
        )

    def read_video(self, item: Json, captured_at: datetime) -> VideoSnapshot:
        """Read a post."""
        pk, handle = id_at(item, "id"), name_at(item, "ownerUsername")
        if pk is None or int(pk) == 0:
            raise payload.schema_changed("a post without an id", item)
        return VideoSnapshot(
            platform=PLATFORM,
            platform_video_id=pk,
            platform_user_id=id_at(item, "ownerId"),
            handle=handle.lower() if handle else None,
            url=post_url(pk, kind="reel" if at(item, "productType") == "clips" else "post"),
            caption=text_at(item, "caption"),
            media_type=_MEDIA_TYPES.get(text_at(item, "type") or ""),
            duration_seconds=payload.seconds_at(item, "videoDuration"),
            thumbnail_url=web_url_at(item, "displayUrl"),
            posted_at=payload.iso_instant_at(item, "timestamp"),
            posted_at_is_estimate=False,
            view_count=count_at(item, "videoPlayCount"),
            like_count=count_at(item, "likesCount"),
            comment_count=count_at(item, "commentsCount"),
            share_count=None,
            save_count=None,
            is_exact=True,
            source="",
            captured_at=captured_at,
        )
