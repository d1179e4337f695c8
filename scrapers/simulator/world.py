"""The simulated world: profiles and posts of both platforms as a function of seed and time.

Nothing is stored: the same time gives the same result, in any order and process. Creators and posts
are drawn on first use and cached. Counts are in `growth.py`, the schedule of posts in
`schedule.py`, events of accounts in `creators.py`. Faults are not part of the world: see
`faults.py`.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import cached_property, lru_cache
from heapq import merge
from itertools import islice
from operator import attrgetter

from scrapers.simulator import identifiers, words
from scrapers.simulator.comments import Comment, bot_comments, is_reply, make_comment
from scrapers.simulator.creators import EPOCH, Creator, make_creator
from scrapers.simulator.posts import LONGEST_LEAD, Post, make_post, tampered
from scrapers.simulator.records import Kind, Platform, TrueComment, TruePost, TrueProfile
from scrapers.simulator.truth import pinned_number, true_comment, true_post, true_profile


class World:
    """Creators 0 to `creators` - 1 on each platform, the same people with the same handles.

    The first five are plain, the next four one of each other kind, the rest drawn. A share `fraud`
    of posts has fraud (`fraud.py`), which changes nothing else. Raises ValueError for more
    creators than ids can hold.
    """

    def __init__(self, seed: int = 1, creators: int = 2000, *, fraud: float = 0) -> None:
        if not 1 <= creators <= identifiers.MOST_CREATORS:
            raise ValueError(f"creators must be 1 to {identifiers.MOST_CREATORS}, got {creators}")
        self.seed = seed
        self.fraud = fraud
        self.creators = creators
        self._creator = lru_cache(maxsize=50_000)(self._draw_creator)
        self._post = lru_cache(maxsize=100_000)(self._draw_post)
        self._comment = lru_cache(maxsize=200_000)(self._draw_comment)

    def handles(
        self, platform: str, *, kind: Kind | None = None, at: datetime = EPOCH
    ) -> list[str]:
        """Return the handles of existing accounts at `at`, by number; optionally of one kind."""
        platform, instant = Platform(platform), at.timestamp()
        everyone = (self._creator(platform, number) for number in range(self.creators))
        return [
            creator.handle(instant)
            for creator in everyone
            if creator.exists(instant) and kind in (None, creator.kind)
        ]

    def has_handle(self, handle: str) -> bool:
        """Return whether an account has this handle at any time."""
        return handle.lower() in self._numbers

    def profile(self, platform: str, handle: str, at: datetime) -> TrueProfile | None:
        """Return the profile with a handle at `at`, or None if missing, renamed or deleted."""
        creator = self.creator(platform, handle, at)
        return true_profile(creator, at) if creator else None

    def posts(self, platform: str, handle: str, at: datetime) -> list[TruePost]:
        """Return the visible posts of a profile at `at`, newest first.

        Private accounts have none; a pinned post is at its own time.
        """
        creator = self.creator(platform, handle, at)
        return list(self.timeline(creator, at)) if creator else []

    def creator(self, platform: str, handle: str, at: datetime) -> Creator | None:
        """Return the account with a handle at `at`, ignoring case."""
        number = self._numbers.get(handle.lower())
        creator = self._present(Platform(platform), number, at)
        return creator if creator and creator.handle(at.timestamp()) == handle.lower() else None

    def creator_by_alt_id(self, platform: str, alt_id: str, at: datetime) -> Creator | None:
        """Return the account with a secUid or a Facebook-side id, if it exists at `at`."""
        platform = Platform(platform)
        if platform is Platform.INSTAGRAM:
            return self._present(platform, identifiers.creator_of_facebook_id(alt_id), at)
        return self._present(platform, self._sec_uids.get(alt_id), at)

    def timeline(
        self, creator: Creator, at: datetime, *, below: int | None = None
    ) -> Iterator[TruePost]:
        """Yield the public posts, newest first, with numbers under `below` only."""
        if creator.kind is Kind.PRIVATE:
            return
        instant = at.timestamp()
        published = creator.schedule.published(instant)
        newest = published if below is None else min(below, published)
        for number in range(newest - 1, -1, -1):
            if creator.schedule.stands(number, instant):
                yield self._true_post(creator, number, at)

    def pinned(self, creator: Creator, at: datetime) -> TruePost | None:
        number = pinned_number(creator, at.timestamp())
        if number is None or creator.kind is Kind.PRIVATE:
            return None
        return self._true_post(creator, number, at)

    def find_post(
        self, platform: str, platform_id: str, at: datetime
    ) -> tuple[Creator, Post] | None:
        """Return the post with this id and its creator, if it has appeared by `at`.

        It may have been removed since (`Post.withdrawn_at`), and its account deleted.
        """
        platform, number = Platform(platform), identifiers.parse_id(platform_id)
        creator_number, created = _origin(platform, number) if number is not None else (-1, 0.0)
        if not 0 <= creator_number < self.creators:
            return None
        creator = self._creator(platform, creator_number)
        last = min(created + LONGEST_LEAD[platform], at.timestamp())
        before, published = creator.schedule.published(created), creator.schedule.published(last)
        for position in range(max(before - 1, 0), published):
            post = self._post(platform, creator_number, position)
            if post.platform_id == platform_id:
                return creator, post
        return None

    def visible_post(self, creator: Creator, post: Post, at: datetime) -> TruePost | None:
        """Return what is true of a post at `at`, or None if the public cannot see it."""
        stands = creator.schedule.stands(post.number, at.timestamp())
        visible = stands and creator.exists(at.timestamp()) and creator.kind is not Kind.PRIVATE
        return self._true_post(creator, post.number, at) if visible else None

    def comments(
        self,
        creator: Creator,
        post: Post,
        at: datetime,
        *,
        newest_first: bool = False,
        start: int = 0,
        size: int | None = None,
    ) -> list[TrueComment]:
        """Return the comments that guests can see under a post at `at`, without replies.

        Skips the first `start`, and returns at most `size`.
        """
        instant = at.timestamp()
        written = int(post.growth.steady("comment", instant))
        numbers = range(written - 1, -1, -1) if newest_first else range(written)
        drawn = (
            self._comment(creator.platform, creator.number, post.number, number)
            for number in numbers
            if not is_reply(number)
        )
        by_bots = bot_comments(self.seed, creator, post, instant)
        everyone = merge(
            drawn,
            reversed(by_bots) if newest_first else by_bots,
            key=attrgetter("written_at"),
            reverse=newest_first,
        )
        existing = (comment for comment in everyone if comment.stands(instant))
        visible = islice(existing, start, None if size is None else start + size)
        return [true_comment(creator.platform, post, comment, written, at) for comment in visible]

    def neighbour(self, creator: Creator) -> Creator:
        """Return the account whose post appears in this one's timeline."""
        return self._creator(creator.platform, (creator.number + 1) % self.creators)

    def _draw_creator(self, platform: Platform, number: int) -> Creator:
        return make_creator(self.seed, platform, number)

    def _draw_post(self, platform: Platform, creator: int, number: int) -> Post:
        whose = self._creator(platform, creator)
        post = make_post(self.seed, whose, number, self.creators)
        return tampered(post, self.seed, whose, self.fraud) if self.fraud else post

    def _draw_comment(self, platform: Platform, creator: int, post: int, number: int) -> Comment:
        under = self._post(platform, creator, post)
        return make_comment(self.seed, platform, creator, under, number)

    def _present(self, platform: Platform, number: int | None, at: datetime) -> Creator | None:
        if number is None or not 0 <= number < self.creators:
            return None
        creator = self._creator(platform, number)
        return creator if creator.exists(at.timestamp()) else None

    def _true_post(self, creator: Creator, number: int, at: datetime) -> TruePost:
        post = self._post(creator.platform, creator.number, number)
        coauthors = [self._creator(creator.platform, number) for number in post.coauthors]
        return true_post(creator, post, coauthors, at)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        everyone = range(self.creators)
        names = {words.handle(number, self.seed): number for number in everyone}
        return names | {words.later_handle(number, self.seed): number for number in everyone}

    @cached_property
    def _sec_uids(self) -> dict[str, int]:
        return {
            identifiers.tiktok_sec_uid(self.seed, number): number for number in range(self.creators)
        }


def _origin(platform: Platform, number: int) -> tuple[int, float]:
    """Return a post id's creator, and when the id was made."""
    if platform is Platform.TIKTOK:
        created, creator = identifiers.tiktok_id_origin(number)
        return creator, created
    created_ms, creator = identifiers.instagram_pk_origin(number)
    return creator, created_ms / 1000
