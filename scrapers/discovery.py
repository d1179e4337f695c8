"""What every platform's discovery agrees on: wanted posts, cursor paging, what a silence means."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from scrapers.findings import Findings, ListedPost
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.snapshots import AccountSnapshot, AccountTarget, DuePost, PageCursor
from scrapers.stopping import FarEnough, reads_on, to_a_page_of_known_posts


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """A page of an account's posts. `cursor` is None on the last page."""

    posts: tuple[ListedPost, ...]
    cursor: str | None


class TimelinePaging:
    """One way back through an account's timeline, to `since` or to known posts.

    It begins at the newest posts or at the cursor `behind`, where it may end with every page that
    brings posts (`by_pages`). From known posts it goes on for those that are `due`. After each
    `add_page`, `cursor` is what to ask next while `goes_on`. `is_complete` tells at the end that no
    gap is left behind; `ran_out` that it ended with the list, not at known posts; `is_stuck` that
    pages stopped bringing new posts. `far_enough` is a rule of `stopping`; a request for posts by
    themselves brings `posts_a_request`.
    """

    def __init__(
        self,
        *,
        since: datetime,
        known: Collection[str],
        pages: int,
        fruitless_pages: int,
        far_enough: FarEnough = to_a_page_of_known_posts,
        due: Sequence[DuePost] | None = None,
        posts_a_request: int = 1,
        behind: str | None = None,
        by_pages: bool = False,
    ) -> None:
        self.findings = Findings(since=since, known=known, due=due)
        self.cursor = behind
        self.is_resumed = behind is not None
        self.is_complete = False
        self.ran_out = False
        self._is_done = False
        self._far_enough = far_enough
        self._posts_a_request = posts_a_request
        self._pages_left = pages
        self._most_fruitless = fruitless_pages
        self._fruitless = 0
        self._by_pages = by_pages
        self._has_a_page = False

    @property
    def is_stuck(self) -> bool:
        """Whether too many pages in a row brought nothing new."""
        return not self.is_complete and self._fruitless >= self._most_fruitless

    @property
    def goes_on(self) -> bool:
        """Whether there is a next page to ask for."""
        is_over = self._is_done or self.is_stuck or (self._has_a_page and not self.is_complete)
        return self._pages_left > 0 and not is_over

    def page_cursor(self, provider: str) -> PageCursor | None:
        """Return where a later crawl is to go on; None at the end, and before the first page."""
        if self.is_complete or self.cursor is None:
            return None
        return PageCursor(provider, self.cursor)

    def require_progress(self) -> None:
        """Raise ScrapeError where pages promised more again and again, and brought nothing."""
        if self.is_stuck:
            raise ScrapeError(Outcome.BLOCKED_SILENT, "pages without a new post, again and again")

    def add_page(self, page: TimelinePage) -> None:
        """Account for the page that was asked for at `cursor`.

        One without posts although more follow is asked for once more: it may have been a miss.
        """
        self._pages_left -= 1
        new = self.findings.add(page.posts)
        self._fruitless = 0 if new else self._fruitless + 1
        is_last = page.cursor is None
        is_far_enough = self.is_complete or self._far_enough(self.findings, new)
        self.ran_out = is_last and not is_far_enough
        self.is_complete = is_last or is_far_enough
        self._is_done = is_last or (self.is_complete and not self._reads_on(new))
        if page.posts or self._fruitless > 1:
            self.cursor = page.cursor
        self._has_a_page = self._by_pages and bool(new)

    def _reads_on(self, new: Collection[ListedPost]) -> bool:
        return reads_on(self.findings, new, self._posts_a_request)


def hold_to(target: AccountTarget, account: AccountSnapshot) -> None:
    """Raise ScrapeError where the account shown is not the one asked for but its handle's next."""
    platform_user_id = target.platform_user_id
    if platform_user_id is not None and account.platform_user_id not in (platform_user_id, None):
        raise ScrapeError(Outcome.NOT_FOUND, "the handle now belongs to another account")


def explain_empty_list(account: AccountSnapshot, *, is_resumed: bool = False) -> None:
    """Raise ScrapeError unless the profile lets one expect a list without any post.

    Behind a cursor of an earlier fetch nothing does: the platform may not know it any more.
    """
    if account.is_private:
        raise ScrapeError(Outcome.PRIVATE, "private account")
    if account.video_count:
        detail = f"the profile counts {account.video_count} posts, the list shows none"
        raise ScrapeError(Outcome.BLOCKED_SILENT, detail)
    if is_resumed:
        detail = "the list shows no post behind where an earlier look was cut"
        raise ScrapeError(Outcome.BLOCKED_SILENT, detail)
