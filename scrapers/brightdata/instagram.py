"""Instagram as Bright Data's scrapers collect it.

Documented: a record is a profile, whose handle is `account`, or a post, whose owner is
`user_posted`. `video_play_count` is what Instagram shows as views; `video_view_count` is another,
older count. Followers of very large accounts come rounded.
"""

from datetime import datetime
from pathlib import Path

from scrapers import payload
from scrapers.paid.run_dialect import ItemDialect
from scrapers.paid.settings import routes_in
from scrapers.payload import Json, at, count_at, flag_at, id_at, name_at, text_at, web_url_at
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot
from scrapers.urls.instagram import PLATFORM, post_url, profile_url

_MEDIA_TYPES = {"Image": "photo", "Video": "video", "Reel": "video", "Carousel": "carousel"}


class InstagramDialect(ItemDialect):
    """How Bright Data is asked about Instagram."""

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
        return post_url(target.platform_video_id)

    def read_account(
        self, item: Json, target: AccountTarget, captured_at: datetime
    ) -> AccountSnapshot:
        """Read a profile."""
        observed = name_at(item, "account")
        followers, posts = count_at(item, "followers"), count_at(item, "posts_count")
        if observed is None or (followers is None and posts is None):
            raise payload.schema_changed("a profile without account or counters", item)
        return AccountSnapshot(
            platform=PLATFORM,
            handle=target.handle,
            observed_handle=observed.lower(),
            platform_user_id=id_at(item, "id"),
            platform_alt_id=id_at(item, "fbid"),
            display_name=text_at(item, "full_name", "profile_name"),
            biography=text_at(item, "biography"),
            bio_link=web_url_at(item, "external_url", "external_url/0"),
            avatar_url=web_url_at(item, "profile_image_link"),
            is_private=flag_at(item, "is_private"),
            is_verified=flag_at(item, "is_verified"),
            follower_count=followers,
            following_count=count_at(item, "following"),
            total_likes_count=None,
            video_count=posts,
            is_exact=False,
            source="",
            captured_at=captured_at,
        )

    def read_video(self, item: Json, captured_at: datetime) -> VideoSnapshot:
        """Read a post."""
        pk = id_at(item, "pk") or id_at(item, "post_id")
        handle, kind = name_at(item, "user_posted"), text_at(item, "content_type") or ""
        if pk is None or int(pk) == 0:
            raise payload.schema_changed("a post without a pk", item)
        is_reel = kind == "Reel" or at(item, "product_type") == "clips"
        return VideoSnapshot(
            platform=PLATFORM,
            platform_video_id=pk,
            platform_user_id=id_at(item, "user_posted_id"),
            handle=handle.lower() if handle else None,
            url=post_url(pk, kind="reel" if is_reel else "post"),
            caption=text_at(item, "description"),
            media_type=_MEDIA_TYPES.get(kind),
            duration_seconds=payload.seconds_at(item, "videos_duration/0/video_duration"),
            thumbnail_url=web_url_at(item, "thumbnail"),
            posted_at=payload.iso_instant_at(item, "date_posted"),
            posted_at_is_estimate=False,
            view_count=count_at(item, "video_play_count"),
            like_count=count_at(item, "likes"),
            comment_count=count_at(item, "num_comments"),
            share_count=None,
            save_count=None,
            is_exact=True,
            source="",
            captured_at=captured_at,
        )
