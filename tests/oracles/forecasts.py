"""Expected views (docs/rules/forecasts.md), post by post and day by day."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from math import fsum, prod

SIZES = (100_000, 10_000, 1_000, 0)


@dataclass(frozen=True)
class Post:
    """A post in UTC days: `views` at the end of each day with a reading, in order."""

    platform: str
    appeared_on: date
    views: Mapping[date, int]


@dataclass(frozen=True)
class Expected:
    """Views after a cut, by the curves and at the rate of the last seven days."""

    views: float
    baseline: float


def size_of(views: int) -> int:
    return next(size for size in SIZES if views >= size)


class Curves:
    """Daily growth of an organization's posts, as known at a cut."""

    def __init__(self, posts: Sequence[Post], cut: date) -> None:
        self._steps: dict[tuple[object, ...], list[tuple[int, int]]] = defaultdict(list)
        for post in posts:
            for (begin, before), (end, after) in pairwise(sorted(post.views.items())):
                known = cut - timedelta(days=91) < end <= cut
                if known and begin >= post.appeared_on and before and (end - begin).days <= 14:
                    self._note(post, begin, end, before, after)

    def _note(self, post: Post, begin: date, end: date, before: int, after: int) -> None:
        days, age = (end - begin).days, (begin - post.appeared_on).days
        counts = [before + int((after - before) * part / days) for part in range(days + 1)]
        for part, (base, reached) in enumerate(pairwise(counts)):
            step = base, min(reached - base, 3 * base)
            older = min(age + part, 60)
            if base > 0:
                for key in (
                    (post.platform, size_of(before), older),
                    (post.platform, older),
                    (older,),
                ):
                    self._steps[key].append(step)

    def rate(self, platform: str, size: int | None, age: int) -> float:
        """Return a post's growth in the day after `age`, as a share of its views."""
        of_size, of_platform, of_all = (platform, size, age), (platform, age), (age,)
        steps = next(
            (self._steps[key] for key in (of_size, of_platform) if len(self._steps[key]) >= 30),
            self._steps[of_all],
        )
        return max(sum(g for _, g in steps) / sum(b for b, _ in steps), 0) if steps else 0.0

    def times(self, platform: str, size: int | None, begin: int, end: int) -> float:
        """Return the ratio of a post's views at age `end` to those at age `begin`."""
        return prod(1 + self.rate(platform, size, min(age, 60)) for age in range(begin, end))


def begin_of(project: Sequence[Post]) -> date:
    """Return the first day of a post that was read on the project's first day."""
    return min((min(post.views), post.appeared_on) for post in project if post.views)[1]


def expected(
    of: Sequence[Post], cut: date, days: int, curves: Curves, project_begins: date
) -> Expected:
    """Return the gains of existing and new posts in so many days."""
    gains: list[float] = []
    late: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for post in of:
        alive = [day for day in post.views if cut - timedelta(days=14) < day <= cut]
        if not alive or post.appeared_on > cut or not (views := post.views[max(alive)]):
            continue
        age = (cut - post.appeared_on).days
        from_age = min(age, 60)
        grown = curves.times(post.platform, size_of(views), from_age, from_age + days)
        gains.append(views * (grown - 1))
        if age < 14:
            late[post.platform].append((views, 1 / curves.times(post.platform, None, age, 28)))
    for platform, brought in late.items():
        ripe = sum(views for views, _ in brought) / fsum(share for _, share in brought)
        shares = [1 / curves.times(platform, None, age, 28) for age in range(min(days, 28))]
        shares += [curves.times(platform, None, 28, age) for age in range(28, days)]
        known = min(14, (cut - project_begins).days + 1)
        gains.append(len(brought) / known * ripe * fsum(shares))
    week = sum(gained(post, cut - timedelta(days=7), cut) for post in of)
    return Expected(fsum(gains), max(week, 0) * days / 7)


def gained(post: Post, after: date, until: date) -> int:
    """Return the gain of a post after one day, up to and including another."""
    ends = [max((d for d in post.views if d <= day), default=None) for day in (after, until)]
    begin, end = (post.views[day] if day else 0 for day in ends)
    return end - begin
