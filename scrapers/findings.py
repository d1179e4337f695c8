"""What a walk through an account's posts has found: the wanted ones, and the known ones missed."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from scrapers.snapshots import VideoSnapshot

ESTIMATE_SLACK = timedelta(hours=3)
"""How much earlier than the truth a time read off an id may be. The id tells of the upload: mostly
some minutes before the post appeared, for 2 of 36 reels up to 2 h 26 min."""


@dataclass(frozen=True, slots=True)
class ListedPost:
    """A post of a list, and whether it is pinned to the top, out of order."""

    video: VideoSnapshot
    is_pinned: bool


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

    def is_new(self, video: VideoSnapshot) -> bool:
        """Tell whether a post is neither known nor before the start."""
        is_known = video.platform_video_id in self._known
        return not is_known and not self._is_too_old(video)

    def _is_too_old(self, video: VideoSnapshot) -> bool:
        if video.posted_at is None:
            return False
        slack = ESTIMATE_SLACK if video.posted_at_is_estimate else timedelta()
        return video.posted_at + slack < self._since
