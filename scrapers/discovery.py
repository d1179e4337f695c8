"""Rules of every discovery: selected posts, cursor paging, and what an empty list means."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol, TypeVar

from scrapers.findings import FarEnough, Findings, ListedPost, reads_on, to_a_page_of_known_posts
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json
from scrapers.snapshots import AccountSnapshot, AccountTarget, DuePost, PageCursor, ScrapeReport

Read = TypeVar("Read")


def read_each(
    entries: Sequence[Json], read: Callable[[Json], Read]
) -> tuple[tuple[Read, ...], int]:
    """Return the entries that can be read, and the number of the others.

    Raises the first error if more than half cannot be read: then the format changed.
    """
    results: list[Read] = []
    errors: list[ScrapeError] = []
    for entry in entries:
        try:
            results.append(read(entry))
        except ScrapeError as error:
            errors.append(error)
    if 2 * len(errors) > len(entries):
        raise errors[0]
    return tuple(results), len(errors)


NO_NEW_POST = "several pages in a row without a new post"
"""Detail of a list that repeats its pages."""


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """A page of an account's posts, without `unread` items. `cursor` is None on the last page."""

    posts: tuple[ListedPost, ...]
    cursor: str | None
    unread: int = 0


class TimelinePaging:
    """One crawl back through an account's timeline, to `since` or to known posts.

    It begins at the newest posts, or at the cursor `behind`. With `by_pages` it stops after each
    page with posts. It continues past known posts for posts that are `due`. After each `add_page`,
    `cursor` is the next page while `goes_on`. At the end, `is_complete` says that no gap is left,
    `ran_out` that the list ended before known posts, `is_stuck` that pages stopped bringing new
    posts. `far_enough` is a rule of `findings`. One request for single posts brings
    `posts_a_request`.
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
        """Whether too many pages in a row brought no new post."""
        return not self.is_complete and self._fruitless >= self._most_fruitless

    @property
    def goes_on(self) -> bool:
        """Whether to request another page."""
        is_over = self._is_done or self.is_stuck or (self._has_a_page and not self.is_complete)
        return self._pages_left > 0 and not is_over

    def page_cursor(self, provider: str) -> PageCursor | None:
        """Return where a later crawl continues; None at the end and before the first page."""
        if self.is_complete or self.cursor is None:
            return None
        return PageCursor(provider, self.cursor)

    def require_progress(self) -> None:
        """Raise ScrapeError if pages kept promising more and brought nothing."""
        if self.is_stuck:
            raise ScrapeError(Outcome.BLOCKED_SILENT, NO_NEW_POST)

    def add_page(self, page: TimelinePage) -> None:
        """Add the page at `cursor`.

        A page without posts that promises more is requested once more, as it may be a glitch.
        """
        self._pages_left -= 1
        new = self.findings.add(page.posts, page.unread)
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
    """Raise ScrapeError if the handle belongs or leads to another account than the target.

    A redirect to another handle is a rename only of an account whose user id is known.
    """
    platform_user_id, handle = target.platform_user_id, account.observed_handle
    if platform_user_id is None and handle != target.handle.lower():
        raise ScrapeError(Outcome.NOT_FOUND, f"the handle leads to @{handle}: track that one")
    if platform_user_id is not None and account.platform_user_id not in (platform_user_id, None):
        raise ScrapeError(Outcome.NOT_FOUND, "the handle now belongs to another account")


class Paging(Protocol):
    """A crawl that has ended."""

    findings: Findings
    ran_out: bool


def shortfall(paging: Paging, target: AccountTarget, account: AccountSnapshot | None) -> str | None:
    """Return what a list that ended before known posts lacks; None if it may be whole.

    It may lack posts if it shows none that is known or older than the start, and is `too_short`.
    """
    if not paging.ran_out or paging.findings.saw_end:
        return None
    in_profile = account.video_count if account else None
    in_profile = target.video_count if in_profile is None else in_profile
    return too_short(paging.findings.listed_count + target.listed, in_profile)


def too_short(listed: int, in_profile: int | None) -> str | None:
    """Return what a list lacks if it shows fewer posts than the profile says, or that says none.

    A tenth may be missing, because profiles also count posts that their list hides.
    """
    if in_profile is None:
        return f"the list ended after {listed} posts; how many the profile has was not read"
    if 10 * listed >= 9 * in_profile:
        return None
    return f"the list ended after {listed} posts; the profile has {in_profile}"


def listed_report(
    paging: Paging, target: AccountTarget, account: AccountSnapshot | None, report: ScrapeReport
) -> ScrapeReport:
    """Return the report of a list that was read to its end, with what it lacks."""
    lacking = shortfall(paging, target, account)
    unread = paging.findings.unread
    details = lacking, f"{unread} items could not be read" if unread else None
    return replace(
        report,
        reached_known=report.reached_known and lacking is None,
        detail="; ".join(filter(None, (report.detail, *details))) or None,
    )


def explain_empty_list(account: AccountSnapshot, *, is_resumed: bool = False) -> None:
    """Raise ScrapeError unless the profile explains a list without posts.

    One without a number of posts, such as TikTok's embed, explains nothing. After a cursor of an
    older fetch nothing does: the platform may no longer know it.
    """
    if account.is_private:
        raise ScrapeError(Outcome.PRIVATE, "private account")
    if account.video_count is None:
        detail = "the list shows no post, and the profile not how many there are"
        raise ScrapeError(Outcome.BLOCKED_SILENT, detail)
    if account.video_count:
        detail = f"the profile has {account.video_count} posts, but the list shows none"
        raise ScrapeError(Outcome.BLOCKED_SILENT, detail)
    if is_resumed:
        detail = "the list shows no post after the cursor of an earlier fetch"
        raise ScrapeError(Outcome.BLOCKED_SILENT, detail)
