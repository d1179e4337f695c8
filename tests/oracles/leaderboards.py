"""Leaderboards computed from the readings of posts alone.

Without deltas and marts: the gain of a post is its last count less the count before.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from uuid import UUID
from zoneinfo import ZoneInfo

COUNTERS = {
    "views": "view",
    "likes": "like",
    "comments": "comment",
    "shares": "share",
    "saves": "save",
}
ENGAGEMENT = ("like", "comment", "share", "save")


@dataclass(frozen=True)
class Post:
    """A counted post in the ranking."""

    id: UUID
    creator: UUID
    posted_at: datetime | None
    readings: dict[datetime, dict[str, int | None]]
    tracked_from: datetime | None = None
    """Time of the account's first reading."""

    @property
    def was_there_before(self) -> bool:
        """Whether the post is older than its tracking; one of unknown age counts as older."""
        return None in (self.posted_at, self.tracked_from) or self.posted_at <= self.tracked_from


@dataclass(frozen=True)
class Days:
    """Days of a zone, both inclusive."""

    first: date
    last: date
    zone: str

    def before(self) -> "Days":
        length = self.last - self.first + timedelta(days=1)
        return Days(self.first - length, self.first - timedelta(days=1), self.zone)

    def day(self, instant: datetime) -> date:
        return instant.astimezone(ZoneInfo(self.zone)).date()


Value = int | Fraction | None
Place = tuple[int, UUID, Value, Value, Fraction | None, int | None]


def board(
    posts: Iterable[Post], ranked: str, metric: str, days: Days, *, while_tracked: bool = False
) -> list[Place]:
    """Return (rank, id, value, previous value, share in percent, count from before tracking).

    The list is ordered by rank. With `while_tracked`, an older post gained nothing before the first
    known count.
    """
    groups: dict[UUID, list[Post]] = defaultdict(list)
    for post in posts:
        groups[post.id if ranked == "video" else post.creator].append(post)
    values = {
        entity_id: value_of(group, metric, days, while_tracked)
        for entity_id, group in groups.items()
    }
    known = {entity_id: value for entity_id, value in values.items() if value is not None}
    whole = sum(known.values())
    has_share = metric != "engagement_rate_by_views" and whole > 0
    return [
        (
            1 + sum(other > value for other in known.values()),
            entity_id,
            value,
            value_of(groups[entity_id], metric, days.before(), while_tracked),
            Fraction(100 * value, whole) if has_share else None,
            before_tracking(groups[entity_id], COUNTERS[metric], days)
            if metric in COUNTERS
            else None,
        )
        for entity_id, value in sorted(known.items(), key=lambda item: (-item[1], item[0]))
    ]


def value_of(group: Sequence[Post], metric: str, days: Days, while_tracked: bool = False) -> Value:
    if metric == "video_count":
        return _posted(group, days)
    if metric != "engagement_rate_by_views":
        return _gained(group, COUNTERS[metric], days, while_tracked)
    gained = [_gained(group, counter, days, while_tracked) for counter in ENGAGEMENT]
    known = [gain for gain in gained if gain is not None]
    views = _gained(group, "view", days, while_tracked)
    return Fraction(100 * sum(known), views) if known and views else None


def before_tracking(group: Sequence[Post], counter: str, days: Days) -> int:
    """Return the sum of first known counts of older posts, if they became known on these days."""
    return sum(
        post.readings[at][counter]
        for post in group
        if post.was_there_before
        and (at := _first_known(post, counter)) is not None
        and days.first <= days.day(at) <= days.last
    )


def _first_known(post: Post, counter: str) -> datetime | None:
    return min(
        (at for at, counts in post.readings.items() if counts.get(counter) is not None),
        default=None,
    )


def _gained(group: Sequence[Post], counter: str, days: Days, while_tracked: bool) -> int | None:
    gains = []
    for post in group:
        at_end = _count(post, counter, lambda day: day <= days.last, days)
        before = _count(post, counter, lambda day: day < days.first, days)
        if before is None and while_tracked and post.was_there_before:
            first = _first_known(post, counter)
            before = post.readings[first][counter] if first else None
        if at_end is not None:
            gains.append(at_end - (before or 0))
    return sum(gains) if gains else None


def _count(post: Post, counter: str, until: Callable[[date], bool], days: Days) -> int | None:
    known = [
        (instant, counts[counter])
        for instant, counts in post.readings.items()
        if counts.get(counter) is not None and until(days.day(instant))
    ]
    return max(known)[1] if known else None


def _posted(group: Sequence[Post], days: Days) -> int | None:
    appeared = [post.posted_at or min(post.readings, default=None) for post in group]
    on = [days.day(instant) for instant in appeared if instant is not None]
    if not any(day <= days.last for day in on):
        return None
    return sum(days.first <= day <= days.last for day in on)
