"""Instagram's accounts and posts in the shape of its old web API, as commercial providers pass on.

Pure: objects in, snapshots or ScrapeError out. `source` is the provider's to fill in.
"""

from datetime import datetime

from scrapers import payload
from scrapers.payload import Json, at, count_at, flag_at, id_at, name_at, text_at, web_url_at
from scrapers.snapshots import AccountSnapshot, AccountTarget, VideoSnapshot
from scrapers.urls.instagram import PLATFORM, post_url

_TYPE_NAMES = {"Image": "photo", "Video": "video", "Sidecar": "carousel"}


def read_user(
    user: dict[str, Json], target: AccountTarget, captured_at: datetime
) -> AccountSnapshot:
    """Read an account."""
    observed, user_id = name_at(user, "username"), id_at(user, "id")
    followers = count_at(user, "edge_followed_by/count")
    following = count_at(user, "edge_follow/count")
    if observed is None or user_id is None:
        raise payload.schema_changed("a profile without username or id", user)
    if followers is None and following is None:
        raise payload.schema_changed("no known counter in a profile", user)
    return AccountSnapshot(
        platform=PLATFORM,
        handle=target.handle,
        observed_handle=observed.lower(),
        platform_user_id=user_id,
        platform_alt_id=id_at(user, "fbid"),
        display_name=text_at(user, "full_name"),
        biography=text_at(user, "biography"),
        bio_link=web_url_at(user, "external_url", "bio_links/0/url"),
        avatar_url=web_url_at(user, "profile_pic_url_hd", "profile_pic_url"),
        is_private=flag_at(user, "is_private"),
        is_verified=flag_at(user, "is_verified"),
        follower_count=followers,
        following_count=following,
        total_likes_count=None,
        video_count=count_at(user, "edge_owner_to_timeline_media/count"),
        is_exact=True,
        source="",
        captured_at=captured_at,
    )


def read_media(media: Json, captured_at: datetime) -> VideoSnapshot:
    """Read a post. Likes that its owner hides stay unknown."""
    pk = id_at(media, "id")
    if pk is None:
        raise payload.schema_changed("a post without an id", media)
    handle, told = name_at(media, "owner/username"), payload.instant_at(media, "taken_at_timestamp")
    is_hidden = flag_at(media, "like_and_view_counts_disabled")
    likes = count_at(media, "edge_media_preview_like/count", "edge_liked_by/count")
    return VideoSnapshot(
        platform=PLATFORM,
        platform_video_id=pk,
        platform_user_id=id_at(media, "owner/id"),
        handle=handle.lower() if handle else None,
        url=post_url(pk, kind="reel" if at(media, "product_type") == "clips" else "post"),
        caption=text_at(media, "edge_media_to_caption/edges/0/node/text"),
        media_type=_media_type(media),
        duration_seconds=payload.seconds_at(media, "video_duration"),
        thumbnail_url=web_url_at(media, "display_url", "thumbnail_src"),
        posted_at=told,
        posted_at_is_estimate=False,
        view_count=count_at(media, "video_play_count"),
        like_count=None if is_hidden else likes,
        comment_count=count_at(
            media, "edge_media_to_parent_comment/count", "edge_media_to_comment/count"
        ),
        share_count=None,
        save_count=None,
        is_exact=True,
        source="",
        captured_at=captured_at,
    )


def _media_type(media: Json) -> str | None:
    name = text_at(media, "__typename") or ""
    return next((kind for end, kind in _TYPE_NAMES.items() if name.endswith(end)), None)
