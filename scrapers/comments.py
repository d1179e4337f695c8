"""What every comment crawl agrees on: paging, and what silence means."""

from dataclasses import dataclass

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.snapshots import CommentCrawl, CommentSnapshot, VideoSnapshot


@dataclass(frozen=True, slots=True)
class CommentPage:
    """A page of a post's comments. `cursor` is None on the last page, `total` where none is shown.

    `total` is the platform's own count of all comments, replies included.
    """

    comments: tuple[CommentSnapshot, ...]
    cursor: str | None
    total: int | None = None


class CommentPaging:
    """One crawl through a post's comments, page after page, at most `pages` of them.

    After each `add_page`, `cursor` is what to ask next while `goes_on`. `is_stuck` tells at the end
    that pages stopped bringing new comments although more were promised.
    """

    def __init__(self, *, first_cursor: str | None, pages: int, fruitless_pages: int) -> None:
        self.cursor = first_cursor
        self._seen: dict[str, CommentSnapshot] = {}
        self._total: int | None = None
        self._is_complete = False
        self._pages_left = pages
        self._most_fruitless = fruitless_pages
        self._fruitless = 0

    @property
    def saw_nothing(self) -> bool:
        """Whether no comment at all was shown."""
        return not self._seen

    @property
    def is_stuck(self) -> bool:
        """Whether too many pages in a row brought nothing new."""
        return not self._is_complete and self._fruitless >= self._most_fruitless

    @property
    def goes_on(self) -> bool:
        """Whether there is a next page to ask for."""
        return self._pages_left > 0 and not (self._is_complete or self.is_stuck)

    def add_page(self, page: CommentPage) -> None:
        """Account for the page that was asked for at `cursor`.

        A list moves while it is read, so a comment may come twice: the first sight of it counts.
        A page without comments although more follow is asked for once more: it may have been a
        miss.
        """
        self._pages_left -= 1
        new = [
            comment for comment in page.comments if comment.platform_comment_id not in self._seen
        ]
        self._seen.update((comment.platform_comment_id, comment) for comment in new)
        self._total = page.total if page.total is not None else self._total
        self._fruitless = 0 if new else self._fruitless + 1
        self._is_complete = page.cursor is None
        if page.comments or self._fruitless > 1:
            self.cursor = page.cursor

    def comment_crawl(self, video: VideoSnapshot | None = None) -> CommentCrawl:
        """Return what was seen. A reading of the post tells its count where the list does not."""
        counted = video.comment_count if video else None
        return CommentCrawl(
            comments=tuple(self._seen.values()),
            is_complete=self._is_complete,
            platform_comment_count=self._total if self._total is not None else counted,
        )


def require_progress(paging: CommentPaging) -> None:
    """Raise ScrapeError where pages promised more again and again, and brought nothing."""
    if paging.is_stuck:
        raise ScrapeError(Outcome.BLOCKED_SILENT, "pages without a new comment, again and again")


def explain_no_comments(video: VideoSnapshot) -> None:
    """Raise ScrapeError unless the post lets one expect a list without any comment."""
    if video.comment_count:
        detail = f"the post counts {video.comment_count} comments, the list shows none"
        raise ScrapeError(Outcome.BLOCKED_SILENT, detail)
