"""What every platform's discovery agrees on: wanted posts, cursor paging, what a silence means."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.snapshots import AccountSnapshot, AccountTarget, VideoSnapshot

ESTIMATE_SLACK = timedelta(hours=3)
"""How much earlier than the truth a time read off an id may be. The id tells of the upload: mostly
some minutes before the post appeared, for 2 of 36 reels up to 2 h 26 min."""


@dataclass(frozen=True, slots=True)
class ListedPost:
    """A post of a list, and whether it is pinned to the top, out of order."""

    video: VideoSnapshot
    is_pinned: bool


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """A page of an account's posts. `cursor` is None on the last page."""

    posts: tuple[ListedPost, ...]
    cursor: str | None


class Findings:
    """The posts found so far: those since the start of tracking, and known ones of any age."""

    def __init__(self, *, since: datetime, known: Collection[str]) -> None:
        self._since = since
        self._known = frozenset(known)
        self._seen: set[str] = set()
        self._wanted: dict[str, VideoSnapshot] = {}

    @property
    def videos(self) -> tuple[VideoSnapshot, ...]:
        """The wanted posts in the order of their finding."""
        return tuple(self._wanted.values())

    @property
    def saw_nothing(self) -> bool:
        """Whether no post at all was shown, wanted or not."""
        return not self._seen

    @property
    def missing(self) -> frozenset[str]:
        """The known posts that were not shown so far."""
        return self._known - self._seen

    def add(self, posts: Collection[ListedPost]) -> list[ListedPost]:
        """Take note of posts and return those not seen before."""
        new = {post.video.platform_video_id: post for post in posts}
        new = {key: post for key, post in new.items() if key not in self._seen}
        self._seen.update(new)
        self._wanted.update(
            (key, post.video) for key, post in new.items() if self.is_wanted(post.video)
        )
        return list(new.values())

    def is_wanted(self, video: VideoSnapshot) -> bool:
        """Tell whether a post is known or recent enough."""
        return video.platform_video_id in self._known or not self._is_too_old(video)

    def reach_back_far_enough(self, new: Collection[ListedPost]) -> bool:
        """Tell whether these posts, pinned ones apart, are all known or before the start."""
        in_order = [post.video for post in new if not post.is_pinned]
        return bool(in_order) and all(
            video.platform_video_id in self._known or self._is_too_old(video) for video in in_order
        )

    def _is_too_old(self, video: VideoSnapshot) -> bool:
        if video.posted_at is None:
            return False
        slack = ESTIMATE_SLACK if video.posted_at_is_estimate else timedelta()
        return video.posted_at + slack < self._since


class TimelinePaging:
    """One way back through an account's timeline, to `since` or to known posts.

    After each `take`, `cursor` is what to ask next while `goes_on`. `is_complete` tells at the
    end that no gap is left behind; `is_stuck` that pages stopped bringing new posts.
    """

    def __init__(
        self, *, since: datetime, known: Collection[str], pages: int, fruitless_pages: int
    ) -> None:
        self.findings = Findings(since=since, known=known)
        self.cursor: str | None = None
        self.is_complete = False
        self._pages_left = pages
        self._most_fruitless = fruitless_pages
        self._fruitless = 0

    @property
    def is_stuck(self) -> bool:
        """Whether too many pages in a row brought nothing new."""
        return not self.is_complete and self._fruitless >= self._most_fruitless

    @property
    def goes_on(self) -> bool:
        """Whether there is a next page to ask for."""
        return self._pages_left > 0 and not (self.is_complete or self.is_stuck)

    def take(self, page: TimelinePage) -> None:
        """Account for the page that was asked for at `cursor`.

        One without posts although more follow is asked for once more: it may have been a miss.
        """
        self._pages_left -= 1
        new = self.findings.add(page.posts)
        self._fruitless = 0 if new else self._fruitless + 1
        self.is_complete = page.cursor is None or self.is_far_enough(new)
        if page.posts or self._fruitless > 1:
            self.cursor = page.cursor

    def is_far_enough(self, new: Collection[ListedPost]) -> bool:
        """Tell whether nothing wanted can follow the posts that a page has brought."""
        return self.findings.reach_back_far_enough(new)


def hold_to(target: AccountTarget, account: AccountSnapshot) -> None:
    """Raise ScrapeError where the account shown is not the one asked for but its handle's next."""
    known = target.platform_user_id
    if known is not None and account.platform_user_id not in (known, None):
        raise ScrapeError(Outcome.NOT_FOUND, "the handle now belongs to another account")


def explain_empty_list(account: AccountSnapshot) -> None:
    """Raise ScrapeError unless the profile lets one expect a list without any post."""
    if account.is_private:
        raise ScrapeError(Outcome.PRIVATE, "private account")
    if account.video_count:
        detail = f"the profile counts {account.video_count} posts, the list shows none"
        raise ScrapeError(Outcome.BLOCKED_SILENT, detail)
