"""Paging through a creator's list: where to look next, and when to stop. Pure.

The cursor is a time; a page shows posts created at or before it. Pages may be empty although
older posts exist, may repeat, and may start with a pinned post out of order.
"""

from collections.abc import Collection
from datetime import datetime

from scrapers.snapshots import VideoSnapshot
from scrapers.tiktok.parse import Item, ItemPage
from scrapers.tiktok.settings import routes


class CreatorListPaging:
    """One way back through a creator's posts, to `since` or to known posts.

    After each `take`, `cursor` is what to ask next while `goes_on`. `is_complete` tells at the
    end that no gap is left behind; `is_stuck` that the same page came again and again.
    """

    def __init__(self, *, now: datetime, since: datetime, known: Collection[str]) -> None:
        self._since = since
        self._known = known
        self._seen: set[str] = set()
        self._wanted: list[VideoSnapshot] = []
        self._pages = 0
        self._repeats = 0
        self._empty_in_a_row = 0
        self._cursor = milliseconds(now)
        self.is_complete = False

    @property
    def cursor(self) -> str:
        """The cursor of the next page."""
        return str(self._cursor)

    @property
    def videos(self) -> tuple[VideoSnapshot, ...]:
        """The posts to report: those since the start, and older ones that are known."""
        return tuple(self._wanted)

    @property
    def saw_nothing(self) -> bool:
        """Whether no page has shown any post, which says nothing about there being none."""
        return not self._seen

    @property
    def is_stuck(self) -> bool:
        """Whether pages without anything new came too often."""
        return self._repeats >= routes().creator_list.repeats

    @property
    def needs_new_session(self) -> bool:
        """Whether the next page should be asked for under a new session."""
        return self._repeats == routes().creator_list.repeats_before_new_session

    @property
    def goes_on(self) -> bool:
        """Whether there is a next page to ask for."""
        within_limit = self._pages < routes().creator_list.pages
        return within_limit and not (self.is_complete or self.is_stuck)

    def take(self, page: ItemPage) -> None:
        """Account for the page that was asked for at `cursor`."""
        self._pages += 1
        new = [item for item in page.items if item.video.platform_video_id not in self._seen]
        self._seen.update(item.video.platform_video_id for item in new)
        self._wanted += [item.video for item in new if self._is_wanted(item.video)]
        if self._is_repeated(page, new):
            self._repeats += 1
            return
        self._repeats = 0
        self._empty_in_a_row = 0 if page.items else self._empty_in_a_row + 1
        self._cursor = self._next_cursor(page)
        self.is_complete = not page.has_more or self._is_far_enough(new)

    def _is_repeated(self, page: ItemPage, new: list[Item]) -> bool:
        """Tell whether the cursor was ignored: only posts seen before, some of them after it."""
        times = [item.video.posted_at for item in page.items if not item.is_pinned]
        return not new and any(time and milliseconds(time) > self._cursor for time in times)

    def _is_wanted(self, video: VideoSnapshot) -> bool:
        return video.platform_video_id in self._known or not self._is_too_old(video)

    def _is_too_old(self, video: VideoSnapshot) -> bool:
        return video.posted_at is not None and video.posted_at < self._since

    def _next_cursor(self, page: ItemPage) -> int:
        """Go on at the last post. Ask again once after an empty page, then step back in time."""
        last = next((i.video.posted_at for i in reversed(page.items) if not i.is_pinned), None)
        if last and milliseconds(last) < self._cursor:
            return milliseconds(last)
        if self._empty_in_a_row == 1:
            return self._cursor
        return self._cursor - routes().creator_list.step_back_ms

    def _is_far_enough(self, new: list[Item]) -> bool:
        oldest = max(milliseconds(self._since), routes().creator_list.oldest_cursor_ms)
        in_order = [item.video for item in new if not item.is_pinned]
        return self._cursor < oldest or bool(
            in_order and all(self._is_behind(video) for video in in_order)
        )

    def _is_behind(self, video: VideoSnapshot) -> bool:
        return video.platform_video_id in self._known or self._is_too_old(video)


def milliseconds(instant: datetime) -> int:
    """Return an instant as the list's cursors give it."""
    return int(instant.timestamp() * 1000)
