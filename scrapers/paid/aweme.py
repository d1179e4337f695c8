"""Reads TikTok's app responses, as commercial providers pass them on ('aweme' is a post).

Pure functions: objects in, snapshots or ScrapeError out. The provider sets `source`.
"""

import json
from collections.abc import Sequence
from datetime import datetime

from scrapers import payload
from scrapers.comments import CommentPage
from scrapers.discovery import read_each
from scrapers.findings import ListedPost, require_author
from scrapers.paid.fields import Fields, by, handle_at, read_account, read_tiktok_post
from scrapers.payload import Json, at, count_at, flag_at, id_at, name_at, text_at, web_url_at
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot
from scrapers.tiktok.comments import FIRST_CURSOR, parse_comment_page
from scrapers.tiktok.refusals import refused_by_status

_FIRST_IMAGE = "image_post_info/images/0"
_ACCOUNT: Fields = {
    "observed_handle": by(handle_at, "user/uniqueId"),
    "follower_count": by(count_at, "stats/followerCount"),
    "video_count": by(count_at, "stats/videoCount"),
    "platform_user_id": by(id_at, "user/id"),
    "platform_alt_id": by(name_at, "user/secUid"),
    "display_name": by(text_at, "user/nickname"),
    "biography": by(text_at, "user/signature"),
    "bio_link": by(web_url_at, "user/bioLink/link"),
    "avatar_url": by(web_url_at, "user/avatarLarger", "user/avatarMedium", "user/avatarThumb"),
    "is_private": by(flag_at, "user/privateAccount"),
    "is_verified": by(flag_at, "user/verified"),
    "following_count": by(count_at, "stats/followingCount"),
    "total_likes_count": by(count_at, "stats/heartCount", "stats/heart"),
}
_POST: Fields = {
    "platform_video_id": by(id_at, "aweme_id"),
    "handle": by(handle_at, "author/unique_id"),
    "media_type": lambda item: "video" if at(item, _FIRST_IMAGE) is None else "photo",
    "posted_at": by(payload.instant_at, "create_time"),
    "platform_user_id": by(id_at, "author/uid"),
    "caption": by(text_at, "desc"),
    "duration_seconds": lambda item: _seconds(count_at(item, "video/duration")),
    "thumbnail_url": by(web_url_at, "video/cover/url_list/0", "video/origin_cover/url_list/0"),
    "view_count": by(count_at, "statistics/play_count"),
    "like_count": by(count_at, "statistics/digg_count"),
    "comment_count": by(count_at, "statistics/comment_count"),
    "share_count": by(count_at, "statistics/share_count"),
    "save_count": by(count_at, "statistics/collect_count"),
}


def read_profile(
    answer: dict[str, Json], target: AccountTarget, captured_at: datetime
) -> AccountSnapshot:
    """Read `user` and `stats`, as on the profile's web page.

    TikTok rounds large counts in `stats`; only `statsV2` has exact ones, if passed on.
    """
    hold_to_status(answer)
    user, exact = payload.mapping_at(answer, "user"), payload.mapping_at(answer, "statsV2")
    profile = {"user": user, "stats": exact or payload.mapping_at(answer, "stats")}
    return read_account(profile, _ACCOUNT, target, captured_at, is_exact=bool(exact))


def read_items(items: Sequence[Json], captured_at: datetime) -> tuple[tuple[ListedPost, ...], int]:
    """Read the posts of a list, as `read_each` does; `is_top` marks pinned ones."""

    def read(item: Json) -> ListedPost:
        video = require_author(read_video(item, captured_at))
        return ListedPost(video, is_pinned=at(item, "is_top") in (1, True))

    return read_each(items, read)


def read_video(item: Json, captured_at: datetime) -> VideoSnapshot:
    return read_tiktok_post(item, _POST, captured_at, is_exact=True)


def _seconds(milliseconds: int | None) -> int | None:
    return payload.seconds_at({"s": (milliseconds or 0) / 1000}, "s")


def read_comments(
    answer: dict[str, Json], target: PostTarget, cursor: str | None, captured_at: datetime
) -> CommentPage:
    """Read a page of comments, which has the format of TikTok's own list."""
    return parse_comment_page(
        json.dumps(answer),
        item_id=target.platform_video_id,
        captured_at=captured_at,
        start=cursor or FIRST_CURSOR,
    )


def hold_to_status(answer: dict[str, Json]) -> None:
    """Raise ScrapeError if TikTok's own status in a response is not ok."""
    if refusal := refused_by_status(answer):
        raise refusal
