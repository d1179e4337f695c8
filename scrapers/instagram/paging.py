"""Paging through a guest timeline: its bounds, and the plays put in. Pure."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime

from scrapers.discovery import TimelinePaging
from scrapers.findings import Findings, ListedPost
from scrapers.instagram.settings import routes
from scrapers.snapshots import AccountSnapshot, VideoSnapshot


def timeline_paging(
    *,
    since: datetime,
    known: Collection[str],
    behind: str | None = None,
    by_pages: bool = False,
) -> TimelinePaging:
    """Begin to page through a guest timeline, or go on behind a cursor."""
    route = routes().graphql
    return TimelinePaging(
        since=since,
        known=known,
        pages=route.pages,
        fruitless_pages=route.fruitless_pages,
        behind=behind,
        by_pages=by_pages,
    )


def with_plays(findings: Findings, reels: Iterable[ListedPost]) -> tuple[VideoSnapshot, ...]:
    """Return the found posts with the counters that the reels tab shows.

    Wanted reels that the timeline did not bring are added.
    """
    videos = {video.platform_video_id: video for video in findings.videos}
    for reel in (post.video for post in reels):
        thin = videos.get(reel.platform_video_id)
        if thin or findings.is_selected(reel):
            videos[reel.platform_video_id] = _merged(thin, reel) if thin else reel
    return tuple(videos.values())


def under_each_author(
    videos: Iterable[VideoSnapshot], account: AccountSnapshot
) -> tuple[VideoSnapshot, ...]:
    """Return the posts of an account's tabs, those of which it is a co-author twice.

    Such a post stands under the account first and then under its author, whose it is where both
    are tracked side by side.
    """
    user_id, handle = account.platform_user_id, account.observed_handle
    copies: list[VideoSnapshot] = []
    for video in videos:
        if video.platform_user_id != user_id:
            copies.append(replace(video, platform_user_id=user_id, handle=handle))
        copies.append(video)
    return tuple(copies)


def _merged(thin: VideoSnapshot, reel: VideoSnapshot) -> VideoSnapshot:
    """Return a timeline's post with a reel's counters and the route and time they come from."""
    return replace(
        thin,
        view_count=reel.view_count,
        like_count=reel.like_count,
        comment_count=reel.comment_count,
        source=reel.source,
        captured_at=reel.captured_at,
    )
