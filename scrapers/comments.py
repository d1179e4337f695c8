"""Rules of every comment crawl: paging, and what missing comments mean."""

from dataclasses import dataclass

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.snapshots import CommentCrawl, CommentSnapshot, VideoSnapshot


@dataclass(frozen=True, slots=True)
class CommentPage:
    """A page of a post's comments, without `unread` ones. `cursor` is None on the last page.

    `total` is the platform's own count of all comments including replies, None if not shown.
    """

    comments: tuple[CommentSnapshot, ...]
    cursor: str | None
    total: int | None = None
    unread: int = 0


class CommentPaging:
    """One crawl through a post's comments, at most `pages` pages.

    After each `add_page`, `cursor` is the next page while `goes_on`. At the end `is_stuck` tells
    whether pages stopped bringing new comments although more were promised.
    """

    def __init__(self, *, first_cursor: str | None, pages: int, fruitless_pages: int) -> None:
        self.cursor = first_cursor
        self._seen: dict[str, CommentSnapshot] = {}
        self._total: int | None = None
        self._unread = 0
        self._is_complete = False
        self._pages_left = pages
        self._most_fruitless = fruitless_pages
        self._fruitless = 0

    @property
    def saw_nothing(self) -> bool:
        return not self._seen

    @property
    def is_stuck(self) -> bool:
        """Whether too many pages in a row brought no new comment."""
        return not self._is_complete and self._fruitless >= self._most_fruitless

    @property
    def goes_on(self) -> bool:
        """Whether to request another page."""
        return self.has_pages_left and not (self._is_complete or self.is_stuck)

    @property
    def has_pages_left(self) -> bool:
        return self._pages_left > 0

    def add_page(self, page: CommentPage) -> None:
        """Add the page at `cursor`.

        A list moves while it is read, so a comment may appear twice: the first counts. A page
        without comments that promises more is requested once more, as it may be a glitch.
        """
        self._pages_left -= 1
        new = [
            comment for comment in page.comments if comment.platform_comment_id not in self._seen
        ]
        self._seen.update((comment.platform_comment_id, comment) for comment in new)
        self._total = page.total if page.total is not None else self._total
        self._unread += page.unread
        self._fruitless = 0 if new else self._fruitless + 1
        self._is_complete = page.cursor is None
        if page.comments or self._fruitless > 1:
            self.cursor = page.cursor

    def comment_crawl(self, video: VideoSnapshot | None = None) -> CommentCrawl:
        """Return the result; the post's reading gives the comment count if the list does not.

        An empty list is complete only if that count is known. One that ends before half of it,
        replies included, is not: walls end lists early, and comments that platforms hide count.
        Nor is one with a comment that could not be read.
        """
        counted = video.comment_count if video else None
        total = self._total if self._total is not None else counted
        listed_count = sum(1 + (comment.reply_count or 0) for comment in self._seen.values())
        falls_short = self.saw_nothing if total is None else 2 * listed_count < total
        return CommentCrawl(
            comments=tuple(self._seen.values()),
            is_complete=self._is_complete and not falls_short and not self._unread,
            platform_comment_count=total,
        )


def require_progress(paging: CommentPaging) -> None:
    """Raise ScrapeError if pages kept promising more and brought nothing."""
    if paging.is_stuck:
        raise ScrapeError(Outcome.BLOCKED_SILENT, "several pages in a row without a new comment")


def explain_no_comments(video: VideoSnapshot) -> None:
    """Raise ScrapeError if the post has comments, but its list shows none."""
    if video.comment_count:
        detail = f"the post has {video.comment_count} comments, but the list shows none"
        raise ScrapeError(Outcome.BLOCKED_SILENT, detail)
