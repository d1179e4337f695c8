"""Lists all posts of an account page by page, so that another worker can continue.

Each page with a next one is its own fetch, which lands at once; the next account fetch continues
after the last page (`warehouse/registration/listings`). Discoveries that stop at known posts are
short and start again.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime

from orchestration.scraping.fetches import Fetch, Listing
from scrapers.discovery import NO_NEW_POST
from scrapers.fallback import REFUSED
from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget, PageCursor, VideoSnapshot

MOST_PAGES = 400
"""Maximum pages per account fetch; the next one continues."""

MOST_FRUITLESS = 3
"""Maximum pages in a row without a new post: a list may repeat a page under other cursors."""

Discover = Callable[[AccountTarget], Awaitable[Fetch]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CutListing:
    """Where a listing stopped: `pages` since `began_at` have landed, with these `posts`."""

    page_cursor: PageCursor
    began_at: datetime
    pages: int
    posts: frozenset[str]


async def list_posts(
    discover: Discover, target: AccountTarget, cut: CutListing | None
) -> AsyncIterator[Fetch]:
    """Yield a fetch per page, starting where a listing was `cut`; the last has the outcome."""
    target = replace(target, by_pages=True)
    fetch, cut = await _first_fetch(discover, target, cut)
    way = _Way(cut, fetch.started_at)
    for left in reversed(range(MOST_PAGES)):
        fetch = way.add_page(fetch)
        if not (fetch.goes_on and left):
            break
        yield fetch
        fetch = await discover(replace(target, behind=way.behind, listed=way.posts))
    yield replace(fetch, goes_on=False)


class _Way:
    """A listing from the newest page, or from where another stopped."""

    def __init__(self, cut: CutListing | None, began_at: datetime) -> None:
        self.behind = cut.page_cursor if cut else None
        self._began_at = cut.began_at if cut else began_at
        self._pages = cut.pages if cut else 0
        self._posts_before = cut.posts if cut else frozenset[str]()
        self._been_at = {self.behind}
        self._pages_seen = set[tuple[str, str | None, str]]()
        self._fruitless = 0

    def add_page(self, fetch: Fetch) -> Fetch:
        """Return the next page's fetch as part of the listing.

        A page may repeat the last post of the page before; it is dropped. A list that keeps
        repeating pages is refused.
        """
        report = fetch.report
        new = tuple(video for video in report.videos if _key(video) not in self._pages_seen)
        self._pages_seen.update(map(_key, new))
        self._fruitless = 0 if new else self._fruitless + 1
        is_ok = report.outcome is Outcome.OK
        if is_ok and report.goes_on is not None and self._fruitless >= MOST_FRUITLESS:
            report = replace(report, outcome=Outcome.BLOCKED_SILENT, detail=NO_NEW_POST)
            is_ok = False
        is_at_its_end = is_ok and report.goes_on is None
        has_moved = report.goes_on is not None and report.goes_on not in self._been_at
        self._pages += has_moved or (is_at_its_end and self._pages > 0)
        self.behind = None if is_at_its_end else report.goes_on or self.behind
        self._been_at.add(self.behind)
        return replace(
            fetch,
            report=replace(report, videos=new),
            listing=self._listing if self._pages else None,
            goes_on=is_ok and has_moved,
        )

    @property
    def posts(self) -> int:
        """Number of posts seen so far, also before the cut."""
        return len(self._posts_before | {post for post, *_ in self._pages_seen})

    @property
    def _listing(self) -> Listing:
        posts = len({post for post, *_ in self._pages_seen})
        return Listing(
            began_at=self._began_at, pages=self._pages, page_cursor=self.behind, posts=posts
        )


def _key(video: VideoSnapshot) -> tuple[str, str | None, str]:
    return video.platform_video_id, video.platform_user_id, video.source


async def _first_fetch(
    discover: Discover, target: AccountTarget, cut: CutListing | None
) -> tuple[Fetch, CutListing | None]:
    """Continue at the cut; if the platform rejects its cursor, start again once."""
    if cut is None:
        return await discover(target), None
    fetch = await discover(replace(target, behind=cut.page_cursor, listed=len(cut.posts)))
    if fetch.report.videos or fetch.report.outcome not in REFUSED:
        return fetch, cut
    again = await discover(target)
    return (fetch, cut) if again.report.outcome in REFUSED else (again, None)
