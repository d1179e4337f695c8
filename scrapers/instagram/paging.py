"""Paging through a guest timeline: when to go on, when to stop; and the plays put in. Pure."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime

from scrapers.discovery import Findings, ListedPost
from scrapers.instagram.parse import TimelinePage
from scrapers.instagram.settings import routes
from scrapers.snapshots import VideoSnapshot


class TimelinePaging:
    """One way back through an account's timeline, to `since` or to known posts.

    After each `take`, `cursor` is what to ask next while `goes_on`. `is_complete` tells at the
    end that no gap is left behind; `is_stuck` that pages stopped bringing new posts.
    """

    def __init__(self, *, since: datetime, known: Collection[str]) -> None:
        self.findings = Findings(since=since, known=known)
        self.cursor: str | None = None
        self.is_complete = False
        self._pages = 0
        self._fruitless = 0

    @property
    def is_stuck(self) -> bool:
        """Whether too many pages in a row brought nothing new."""
        return self._fruitless >= routes().graphql.fruitless_pages

    @property
    def goes_on(self) -> bool:
        """Whether there is a next page to ask for."""
        within_limit = self._pages < routes().graphql.pages
        return within_limit and not (self.is_complete or self.is_stuck)

    def take(self, page: TimelinePage) -> None:
        """Account for the page that was asked for at `cursor`."""
        self._pages += 1
        new = self.findings.add(page.posts)
        self._fruitless = 0 if new else self._fruitless + 1
        self.cursor = page.cursor
        self.is_complete = page.cursor is None or self.findings.reach_back_far_enough(new)


def with_plays(findings: Findings, reels: Iterable[ListedPost]) -> tuple[VideoSnapshot, ...]:
    """Return the found posts with the counters that the reels tab shows.

    Wanted reels that the timeline did not bring are added.
    """
    videos = {video.platform_video_id: video for video in findings.videos}
    for reel in (post.video for post in reels):
        thin = videos.get(reel.platform_video_id)
        if thin or findings.is_wanted(reel):
            videos[reel.platform_video_id] = _merged(thin, reel) if thin else reel
    return tuple(videos.values())


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
