"""TikTok's answers as its app gets them, which commercial providers pass on ('aweme' is a post).

Pure: objects in, snapshots or ScrapeError out. `source` is the provider's to fill in.
"""

import json
from collections.abc import Sequence
from datetime import datetime

from scrapers import payload, posting_times
from scrapers.comments import CommentPage
from scrapers.findings import ListedPost
from scrapers.payload import Json, at, count_at, flag_at, id_at, name_at, text_at, web_url_at
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot
from scrapers.tiktok.comments import FIRST_CURSOR, parse_comment_page
from scrapers.tiktok.refusals import refused_by_status
from scrapers.urls.tiktok import PLATFORM, post_url


def read_profile(
    answer: dict[str, Json], target: AccountTarget, captured_at: datetime
) -> AccountSnapshot:
    """Read `user` and `stats`, which are those of the profile's web page.

    TikTok rounds large counts in `stats`; only `statsV2`, where it is passed on, has exact ones.
    """
    hold_to_status(answer)
    user, exact = payload.mapping_at(answer, "user"), payload.mapping_at(answer, "statsV2")
    stats = exact or payload.mapping_at(answer, "stats")
    observed = name_at(user, "uniqueId")
    if not user or not stats or observed is None:
        raise payload.schema_changed("a profile without user, handle or stats", answer)
    followers, posts = count_at(stats, "followerCount"), count_at(stats, "videoCount")
    if followers is None and posts is None:
        raise payload.schema_changed("no known counter in a profile's stats", stats)
    return AccountSnapshot(
        platform=PLATFORM,
        handle=target.handle,
        observed_handle=observed.lower(),
        platform_user_id=id_at(user, "id"),
        platform_alt_id=name_at(user, "secUid"),
        display_name=text_at(user, "nickname"),
        biography=text_at(user, "signature"),
        bio_link=web_url_at(user, "bioLink/link"),
        avatar_url=web_url_at(user, "avatarLarger", "avatarMedium", "avatarThumb"),
        is_private=flag_at(user, "privateAccount"),
        is_verified=flag_at(user, "verified"),
        follower_count=followers,
        following_count=count_at(stats, "followingCount"),
        total_likes_count=count_at(stats, "heartCount", "heart"),
        video_count=posts,
        is_exact=bool(exact),
        source="",
        captured_at=captured_at,
    )


def read_items(items: Sequence[Json], captured_at: datetime) -> list[ListedPost]:
    """Read the posts of a list; `is_top` marks those pinned to its top."""
    return [
        ListedPost(read_video(item, captured_at), is_pinned=at(item, "is_top") in (1, True))
        for item in items
    ]


def read_video(item: Json, captured_at: datetime) -> VideoSnapshot:
    """Read one post. Its length is in milliseconds."""
    item_id = id_at(item, "aweme_id")
    if item_id is None:
        raise payload.schema_changed("a post without aweme_id", item)
    handle = name_at(item, "author/unique_id")
    handle = handle.lower() if handle else None
    media_type = "photo" if at(item, "image_post_info/images/0") is not None else "video"
    instant = payload.instant_at(item, "create_time")
    posted_at, is_estimate = posting_times.on_tiktok(instant, item_id)
    milliseconds = count_at(item, "video/duration")
    return VideoSnapshot(
        platform=PLATFORM,
        platform_video_id=item_id,
        platform_user_id=id_at(item, "author/uid"),
        handle=handle,
        url=post_url(item_id, handle, media_type),
        caption=text_at(item, "desc"),
        media_type=media_type,
        duration_seconds=payload.seconds_at({"s": (milliseconds or 0) / 1000}, "s"),
        thumbnail_url=web_url_at(item, "video/cover/url_list/0", "video/origin_cover/url_list/0"),
        posted_at=posted_at,
        posted_at_is_estimate=is_estimate,
        view_count=count_at(item, "statistics/play_count"),
        like_count=count_at(item, "statistics/digg_count"),
        comment_count=count_at(item, "statistics/comment_count"),
        share_count=count_at(item, "statistics/share_count"),
        save_count=count_at(item, "statistics/collect_count"),
        is_exact=True,
        source="",
        captured_at=captured_at,
    )


def read_comments(
    answer: dict[str, Json], target: PostTarget, cursor: str | None, captured_at: datetime
) -> CommentPage:
    """Read a page of comments, whose shape is that of TikTok's own list."""
    return parse_comment_page(
        json.dumps(answer),
        item_id=target.platform_video_id,
        captured_at=captured_at,
        start=cursor or FIRST_CURSOR,
    )


def hold_to_status(answer: dict[str, Json]) -> None:
    """Raise ScrapeError where TikTok's own status in an answer is not ok."""
    if refusal := refused_by_status(answer):
        raise refusal
