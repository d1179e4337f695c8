"""Posts that a crawl has found, and all rules of when it stops. Pure.

A crawl goes from the newest to older posts until no selected post can follow. Posts before the
start are not selected, and after a known post none is missing. All posts on the way are read, so
the rules differ in how far they continue among known posts.

- `to_a_page_of_known_posts` is the usual rule; `reads_on` continues for due posts, as long as that
  needs fewer requests than reading them singly.
- `through_known_posts` is for lists that are the only way to a post (Meta's official API): it
  continues to the last known or due post.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import ceil

from scrapers import payload
from scrapers.snapshots import AccountTarget, DuePost, VideoSnapshot

ESTIMATE_SLACK = timedelta(hours=3)
"""How much too early a time from an id may be. Ids are made at upload: mostly minutes before the
post appears, for 2 of 36 reels up to 2 h 26 min."""


@dataclass(frozen=True, slots=True)
class ListedPost:
    """A post of a list, and whether it is pinned to the top, out of order."""

    video: VideoSnapshot
    is_pinned: bool


def is_owned(target: AccountTarget, video: VideoSnapshot) -> bool:
    """Return whether a post's author is the target: by id if both are known."""
    if target.platform_user_id and video.platform_user_id:
        return video.platform_user_id == target.platform_user_id
    return video.handle == target.handle.lower()


def require_author(video: VideoSnapshot) -> VideoSnapshot:
    """Return a listed post. Raises ScrapeError without an author: whose it is cannot be told."""
    if video.handle is None and video.platform_user_id is None:
        raise payload.schema_changed(f"the listed post {video.platform_video_id} has no author")
    return video


def of_account(target: AccountTarget, videos: Iterable[VideoSnapshot]) -> tuple[VideoSnapshot, ...]:
    """Return the posts of an account's own list, those without an author under the account."""
    handle, user = target.handle.lower(), target.platform_user_id
    return tuple(
        v if v.handle or v.platform_user_id else replace(v, handle=handle, platform_user_id=user)
        for v in videos
    )


def is_coauthor(others: object, platform_user_id: str | None, handle: str | None) -> bool:
    """Return whether an account is among a post's co-authors, by id if both are known."""
    for other in others if isinstance(others, list) else []:
        pk, name = payload.at(other, "pk"), payload.text_at(other, "username")
        if platform_user_id and pk:
            is_same = str(pk) == platform_user_id
        else:
            is_same = name is not None and handle is not None and name.lower() == handle.lower()
        if is_same:
            return True
    return False


def under_each_author(
    target: AccountTarget, videos: Iterable[VideoSnapshot]
) -> Iterator[VideoSnapshot]:
    """Yield the posts of an account's list, twice if the account is a co-author.

    Such a post comes first under the account and then under its author, who owns it if both are
    tracked.
    """
    for video in videos:
        if not is_owned(target, video):
            yield replace(
                video, platform_user_id=target.platform_user_id, handle=target.handle.lower()
            )
        yield video


class Findings:
    """The posts found so far: those since the start of tracking, and known ones of any age.

    `due` has the posts whose counters are wanted; None without a schedule. `unread` counts items
    that could not be read. `saw_end` says whether a post in its order is known or older than the
    start, so that no selected one follows; pinned posts come first whatever their age.
    """

    def __init__(
        self, *, since: datetime, known: Collection[str], due: Sequence[DuePost] | None = None
    ) -> None:
        self._since = since
        self._known = frozenset(known)
        self._due = due
        self._due_ids = frozenset(post.platform_video_id for post in due or ())
        self._pages = 0
        self.unread = 0
        self.saw_end = False
        self._seen: set[str] = set()
        self._selected: dict[str, VideoSnapshot] = {}

    @property
    def videos(self) -> tuple[VideoSnapshot, ...]:
        """The selected posts, in the order found."""
        return tuple(self._selected.values())

    @property
    def listed_count(self) -> int:
        """Number of the account's posts that are listed."""
        return len(self._seen)

    @property
    def saw_nothing(self) -> bool:
        """Whether the list showed no post at all."""
        return not self._seen

    @property
    def missing(self) -> frozenset[str]:
        """The due posts (or all known posts, without a schedule) not listed so far."""
        return (self._known if self._due is None else self._due_ids) - self._seen

    def pays_to_read_on(self, before: datetime, posts_a_request: int = 1) -> bool:
        """Return whether pages older than `before` cost no more requests than they save.

        One request for single posts brings `posts_a_request`. The number of pages in between is
        estimated from known posts, whose ids grow with time.
        """
        older = {
            int(post.platform_video_id)
            for post in self._due or ()
            if post.posted_at
            and post.posted_at <= before
            and post.platform_video_id not in self._seen
        }
        newest_first = sorted(map(int, (self._known | self._due_ids) - self._seen), reverse=True)
        a_page = max(1, ceil(len(self._seen) / max(1, self._pages)))
        ranks = (rank for rank, key in enumerate(newest_first, 1) if key in older)
        return any(
            ceil(rank / a_page) <= ceil(brought / posts_a_request)
            for brought, rank in enumerate(ranks, 1)
        )

    def add(self, posts: Collection[ListedPost], unread: int = 0) -> list[ListedPost]:
        """Add posts, and return those not listed before. `unread` others could not be read."""
        self.unread += unread
        new = {post.video.platform_video_id: post for post in posts}
        new = {key: post for key, post in new.items() if key not in self._seen}
        self._seen.update(new)
        self.saw_end = self.saw_end or any(
            not post.is_pinned and not self.is_new(post.video) for post in new.values()
        )
        self._pages += bool(posts)
        self._selected.update(
            (key, post.video) for key, post in new.items() if self.is_selected(post.video)
        )
        return list(new.values())

    def is_selected(self, video: VideoSnapshot) -> bool:
        """Return whether a post is known, due or recent enough."""
        key = video.platform_video_id
        return key in self._known or key in self._due_ids or not self._is_too_old(video)

    def is_new_or_due(self, video: VideoSnapshot) -> bool:
        """Return whether a post is new or due; always true without a schedule."""
        return self._due is None or video.platform_video_id in self._due_ids or self.is_new(video)

    def is_new(self, video: VideoSnapshot) -> bool:
        """Return whether a post is unknown and not older than the start."""
        is_known = video.platform_video_id in self._known
        return not is_known and not self._is_too_old(video)

    def _is_too_old(self, video: VideoSnapshot) -> bool:
        if video.posted_at is None:
            return False
        slack = ESTIMATE_SLACK if video.posted_at_is_estimate else timedelta()
        return video.posted_at + slack < self._since


FarEnough = Callable[[Findings, Collection[ListedPost]], bool]
"""Returns whether no selected post can follow the new posts of a page."""


def to_a_page_of_known_posts(findings: Findings, new: Collection[ListedPost]) -> bool:
    """Return whether all new posts of a page, except pinned ones, are known or too old."""
    in_order = [post.video for post in new if not post.is_pinned]
    return bool(in_order) and not any(findings.is_new(video) for video in in_order)


def reads_on(findings: Findings, new: Collection[ListedPost], posts_a_request: int = 1) -> bool:
    """Return whether the next page is worth its request."""
    times = [post.video.posted_at for post in new if not post.is_pinned and post.video.posted_at]
    return bool(times) and findings.pays_to_read_on(times[-1], posts_a_request)


def through_known_posts(uploaded_at: Callable[[str], datetime]) -> FarEnough:
    """Return the rule that continues to the last known or due post, by the time of ids.

    A post is published after its upload. So a post uploaded after the publication of the page's
    last post, but not shown, is deleted.
    """

    def has_read_all(findings: Findings, new: Collection[ListedPost]) -> bool:
        if not to_a_page_of_known_posts(findings, new):
            return False
        last = [post.video.posted_at for post in new][-1]
        return not any(last is None or uploaded_at(post_id) < last for post_id in findings.missing)

    return has_read_all
