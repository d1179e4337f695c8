"""When a creator's posts appear and when they are removed.

Post number k appears in the k-th interval since the account began, so the number of posts at a
time is known without listing them. All times are epoch seconds.
"""

from dataclasses import dataclass

from scrapers.simulator.draws import fraction

DAY = 86_400
_WITHDRAWN_EVERY = 40
_SHORTEST_LIFE, _LONGEST_LIFE = 3 * DAY, 45 * DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """One post per `interval` on average, a pause before post `holiday_before`, maybe an end."""

    starts_at: int
    interval: float
    phase: float
    holiday_before: int
    holiday_seconds: int
    ends_at: int | None

    def posted_at(self, post: int) -> int:
        holiday = self.holiday_seconds if post >= self.holiday_before else 0
        return self.starts_at + self._offset(post) + holiday

    def published(self, at: float) -> int:
        """Return how many posts have appeared by `at`; their numbers are below it."""
        elapsed = (at if self.ends_at is None else min(at, self.ends_at)) - self.starts_at
        count = self._regular(elapsed)
        if count <= self.holiday_before:
            return count
        return max(self.holiday_before, self._regular(elapsed - self.holiday_seconds))

    def withdrawn_at(self, post: int) -> int | None:
        """Return when a post is removed, 3 to 45 days after it appeared, or None (39 of 40)."""
        block, position = divmod(post, _WITHDRAWN_EVERY)
        if position != self._withdrawn_position(block):
            return None
        life = fraction(block + 1, self.phase) * (_LONGEST_LIFE - _SHORTEST_LIFE) + _SHORTEST_LIFE
        return self.posted_at(post) + int(life)

    def visible(self, at: float) -> int:
        """Return how many posts are visible at `at`."""
        published = self.published(at)
        return published - sum(self._is_gone(block, at) for block in self._blocks(published))

    def stands(self, post: int, at: float) -> bool:
        """Return whether a published post is visible at `at`."""
        gone_at = self.withdrawn_at(post)
        return gone_at is None or at < gone_at

    def _offset(self, post: int) -> int:
        # Offsets avoid the interval's edges, so that two posts never share a second or an id's
        # time. The square turns the even spread into bursts and pauses.
        return int((post + 0.05 + 0.9 * fraction(post * post, self.phase)) * self.interval)

    def _regular(self, elapsed: float) -> int:
        if elapsed < 0:
            return 0
        whole = int(elapsed / self.interval)
        return whole + (self._offset(whole) <= elapsed)

    @staticmethod
    def _blocks(published: int) -> range:
        return range(-(-published // _WITHDRAWN_EVERY))

    def _withdrawn_position(self, block: int) -> int:
        return int(fraction(block, self.phase) * _WITHDRAWN_EVERY)

    def _is_gone(self, block: int, at: float) -> bool:
        return not self.stands(block * _WITHDRAWN_EVERY + self._withdrawn_position(block), at)
