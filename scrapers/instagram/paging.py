"""Paging through a guest timeline: its limits, and merging in plays. Pure functions."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from scrapers.discovery import TimelinePaging
from scrapers.findings import Findings, ListedPost
from scrapers.instagram.parse import ProfilePage
from scrapers.instagram.settings import routes
from scrapers.provider import Clock
from scrapers.snapshots import VideoSnapshot


def timeline_paging(
    *, since: datetime, known: Collection[str], behind: str | None = None, by_pages: bool = False
) -> TimelinePaging:
    """Return the paging of a guest timeline, from its start or after a cursor."""
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
    """Return the posts with the counters from the reels tab.

    Selected reels that the timeline lacks are added.
    """
    videos = {video.platform_video_id: video for video in findings.videos}
    for reel in (post.video for post in reels):
        thin = videos.get(reel.platform_video_id)
        if thin or findings.is_selected(reel):
            videos[reel.platform_video_id] = _merged(thin, reel) if thin else reel
    return tuple(videos.values())


def _merged(thin: VideoSnapshot, reel: VideoSnapshot) -> VideoSnapshot:
    """Return a timeline's post with a reel's counters, source and time."""
    return replace(
        thin,
        view_count=reel.view_count,
        like_count=reel.like_count,
        comment_count=reel.comment_count,
        source=reel.source,
        captured_at=reel.captured_at,
    )


LIFETIME = timedelta(minutes=5)
"""The fetches of one account fetch follow each other."""

_MOST = 256


class NewestPages:
    """The newest pages by handle. Each is returned once, within LIFETIME."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pages: dict[str, ProfilePage] = {}

    def store(self, handle: str, page: ProfilePage) -> None:
        """Cache a page that has just been read; the oldest is dropped beyond _MOST."""
        self._pages.pop(handle, None)
        self._pages[handle] = page
        if len(self._pages) > _MOST:
            del self._pages[next(iter(self._pages))]

    def pop(self, handle: str, user_id: str | None) -> ProfilePage | None:
        """Return and remove a handle's page if it is fresh and has this user id."""
        page = self._pages.pop(handle, None)
        if page is None or self._clock() - page.account.captured_at > LIFETIME:
            return None
        return page if user_id in (None, page.account.platform_user_id) else None
