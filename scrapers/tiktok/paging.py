"""Paging through a creator's list: the next cursor, and where to stop. Pure functions.

The cursor is a time; a page has posts created at or before it. Pages may be empty although older
posts exist, may repeat, and may start with a pinned post out of order.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from scrapers.findings import Findings, ListedPost, reads_on, to_a_page_of_known_posts
from scrapers.snapshots import DuePost, PageCursor
from scrapers.tiktok.parse import ItemPage
from scrapers.tiktok.settings import routes


class CreatorListPaging:
    """One crawl back through a creator's posts, to `since` or to known posts.

    It begins `now` or at the cursor `behind`. With `by_pages` it stops after each page with posts.
    It continues past known posts for posts that are `due`. After each `add_page`, `cursor` is the
    next page while `goes_on`. At the end, `is_complete` says that no gap is left, `ran_out` that
    the list ended before known posts, `is_stuck` that the same page came repeatedly.
    """

    def __init__(
        self,
        *,
        now: datetime,
        since: datetime,
        known: Collection[str],
        due: Sequence[DuePost] | None = None,
        behind: str | None = None,
        by_pages: bool = False,
    ) -> None:
        self.findings = Findings(since=since, known=known, due=due)
        self.is_complete = False
        self.ran_out = False
        self._is_done = False
        self._oldest = max(milliseconds(since), routes().creator_list.oldest_cursor_ms)
        self.is_resumed = behind is not None
        self._cursor = milliseconds(now) if behind is None else int(behind)
        self._pages = 0
        self._repeats = 0
        self._empty_in_a_row = 0
        self._by_pages = by_pages
        self._has_a_page = False

    @property
    def cursor(self) -> str:
        return str(self._cursor)

    @property
    def is_stuck(self) -> bool:
        """Whether too many pages ignored the cursor."""
        return self._repeats >= routes().creator_list.repeats

    @property
    def needs_new_session(self) -> bool:
        return self._repeats == routes().creator_list.repeats_before_new_session

    @property
    def goes_on(self) -> bool:
        """Whether to request another page."""
        within_limit = self._pages < routes().creator_list.pages
        is_over = self._is_done or self.is_stuck or (self._has_a_page and not self.is_complete)
        return within_limit and not is_over

    def page_cursor(self, provider: str) -> PageCursor | None:
        """Return where a later crawl continues; None at the end and before the first page."""
        if self.is_complete or not (self._pages or self.is_resumed):
            return None
        return PageCursor(provider, self.cursor)

    def add_page(self, page: ItemPage) -> None:
        """Add the page at `cursor`."""
        self._pages += 1
        new = self.findings.add(page.items, page.unread)
        if self._ignored_the_cursor(page) and (self.is_resumed or not new):
            self._repeats += 1
            return
        self._repeats = 0
        self._empty_in_a_row = 0 if page.items else self._empty_in_a_row + 1
        self._cursor = self._next_cursor(page)
        is_last = not page.has_more
        is_far_enough = self.is_complete or self._is_far_enough(new)
        self.ran_out = is_last and not is_far_enough
        self.is_complete = is_last or is_far_enough
        self._is_done = is_last or (self.is_complete and not reads_on(self.findings, new))
        self._has_a_page = self._by_pages and bool(new)

    def _ignored_the_cursor(self, page: ItemPage) -> bool:
        times = (post.video.posted_at for post in page.items if not post.is_pinned)
        return any(time and milliseconds(time) > self._cursor for time in times)

    def _next_cursor(self, page: ItemPage) -> int:
        """Continue at the last post. After an empty page retry once, then step back in time."""
        in_order = (post.video.posted_at for post in reversed(page.items) if not post.is_pinned)
        last = next(in_order, None)
        if last and milliseconds(last) < self._cursor:
            return milliseconds(last)
        if self._empty_in_a_row == 1:
            return self._cursor
        return self._cursor - routes().creator_list.step_back_ms

    def _is_far_enough(self, new: Collection[ListedPost]) -> bool:
        return self._cursor < self._oldest or to_a_page_of_known_posts(self.findings, new)


def milliseconds(instant: datetime) -> int:
    """Return a time as in the list's cursors."""
    return int(instant.timestamp() * 1000)
