"""Project health computed from posts, readings and profiles alone, by simple loops.

Rules: decisions.md, Program health; else serving_api/DECISIONS.md.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import median
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

ENGAGEMENT = ("like", "comment", "share", "save")
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Post:
    """A post of the project, counted or not.

    `before_tracking` are the views that its first known count contains from before tracking.
    Readings of its views are planned from `due_from` on.
    """

    id: UUID
    creator: UUID
    account: UUID | None
    posted_at: datetime | None
    readings: dict[datetime, dict[str, int | None]]
    is_counted: bool
    before_tracking: int = 0
    due_from: datetime | None = None

    @property
    def appeared_at(self) -> datetime | None:
        return self.posted_at or min(self.readings, default=None)


@dataclass(frozen=True)
class Profile:
    """An active account, and the platform's count of its posts by instant."""

    id: UUID
    creator: UUID
    counts: dict[datetime, int]


class Oracle:
    def __init__(
        self,
        posts: Iterable[Post],
        accounts: Sequence[Profile],
        *,
        from_day: date,
        today: date,
        zone: str,
        as_of: datetime,
    ) -> None:
        all_posts = list(posts)
        self.every = [p for p in all_posts if p.appeared_at and p.appeared_at <= as_of]
        self.posts = [post for post in self.every if post.is_counted]
        absent = [p for p in all_posts if p.is_counted and not p.appeared_at]
        self.posts_or_absent, self.as_of = [*self.posts, *absent], as_of
        self.accounts = accounts
        self.from_day, self.today, self.zone = from_day, today, ZoneInfo(zone)
        self.prior_from = from_day - (today - from_day + DAY)

    def day(self, instant: datetime) -> date:
        return instant.astimezone(self.zone).date()

    def on(self, post: Post) -> date:
        assert post.appeared_at is not None
        return self.day(post.appeared_at)

    def count(self, post: Post, counter: str, until: date) -> int | None:
        known = [
            (at, counts[counter])
            for at, counts in post.readings.items()
            if counts.get(counter) is not None and self.day(at) <= until
        ]
        return max(known)[1] if known else None

    def window(self, first: date, last: date) -> dict[str, Any]:
        posts = [post for post in self.posts if first <= self.on(post) <= last]
        return {
            "posts": len(posts),
            "active_creators": len({post.creator for post in posts}),
            "views": _total(self.count(p, "view", last) for p in posts) if posts else 0,
            "engagement_rate": self.rate(posts, last),
        }

    def rate(self, posts: Sequence[Post], last: date) -> float | None:
        views = _total(self.count(post, "view", last) for post in posts)
        parts = [self.count(post, name, last) for post in posts for name in ENGAGEMENT]
        engaged = _total(parts)
        return 100 * engaged / views if views and engaged is not None else None

    def windows(self) -> tuple[dict[str, Any], dict[str, Any]]:
        prior = self.window(self.prior_from, self.from_day - DAY)
        return self.window(self.from_day, self.today), prior

    def weeks(self) -> tuple[int, int]:
        ages = [(self.today - self.on(post)).days for post in self.posts]
        return sum(age < 7 for age in ages), sum(7 <= age < 14 for age in ages)

    def performers(self) -> list[dict[str, Any]]:
        by_creator: dict[UUID, list[Post]] = defaultdict(list)
        for post in self.posts:
            if self.on(post) >= self.from_day:
                by_creator[post.creator].append(post)
        rows = []
        for creator, posts in by_creator.items():
            views = _total(self.count(post, "view", self.today) for post in posts)
            if views is not None:
                row = {"creator_id": creator, "posts": len(posts), "views": views}
                row |= {"views_per_post": views / len(posts)}
                rows.append({**row, "engagement_rate": self.rate(posts, self.today)})
        return rows

    def top(self) -> list[dict[str, Any]]:
        ranked = sorted(self.performers(), key=lambda row: (-row["views"], row["creator_id"]))
        return ranked[:10]

    def under(self) -> list[dict[str, Any]]:
        rows = self.performers()
        if not rows:
            return []
        half = median(row["views_per_post"] for row in rows) / 2
        low = [row for row in rows if row["views_per_post"] < half]
        return sorted(low, key=lambda row: (row["views_per_post"], row["creator_id"]))[:10]

    def stale(self) -> list[tuple[UUID, int]]:
        live = {account.creator for account in self.accounts}
        last: dict[UUID, datetime] = {}
        for post in self.posts:
            assert post.appeared_at is not None
            if post.creator in live:
                last[post.creator] = max(last.get(post.creator, post.appeared_at), post.appeared_at)
        ages = {creator_id: (self.today - self.day(at)).days for creator_id, at in last.items()}
        old = sorted(
            (creator_id for creator_id in last if ages[creator_id] >= 14),
            key=lambda payee: (last[payee], payee),
        )
        return [(creator_id, ages[creator_id]) for creator_id in old[:25]]

    def drops(self, last: date) -> list[tuple[UUID, int, int]]:
        drops = []
        for post in self.posts:
            read = {self.day(at) for at in post.readings}
            recent = self.gain(post, last - 2 * DAY, last)
            earlier = self.gain(post, last - 5 * DAY, last - 3 * DAY)
            was_read = any(last - 2 * DAY <= day <= last for day in read)
            if was_read and earlier >= 1000 and recent * 10 < earlier * 3:
                drops.append((post.id, recent, earlier))
        return sorted(drops, key=lambda drop: (drop[1] - drop[2], drop[0]))[:25]

    def gain(self, post: Post, first: date, last: date) -> int:
        before = self.count(post, "view", first - DAY)
        at_end = self.count(post, "view", last)
        if at_end is None:
            return 0
        return at_end - (post.before_tracking if before is None else before)

    def unread_views(self) -> list[tuple[UUID, datetime | None, datetime | None]]:
        unread: list[tuple[datetime, UUID, datetime | None, datetime | None]] = []
        tracked = {account.id for account in self.accounts}
        for post in self.posts_or_absent:
            known = [
                (at, counter)
                for at, counts in post.readings.items()
                for counter, count in counts.items()
                if count is not None
            ]
            views = [at for at, counter in known if counter == "view"]
            others = max((at for at, counter in known if counter != "view"), default=None)
            if views and others and others - max(views) > timedelta(hours=28):
                unread.append((max(views), post.id, max(views), others))
            is_due = post.due_from and self.as_of - post.due_from > timedelta(hours=28)
            if post.due_from and is_due and not views and post.account in tracked:
                unread.append((post.due_from, post.id, None, others))
        return [row[1:] for row in sorted(unread, key=lambda row: row[:2])[:25]]

    def over_posting(self) -> list[tuple[UUID, int, float]]:
        rows = []
        for account in self.accounts:
            days = [self.on(post) for post in self.posts if post.account == account.id]
            recent = sum(day > self.today - 3 * DAY for day in days)
            if recent < 6:
                continue
            first = max(min(days), self.prior_from)
            usual = [days.count(day) for day in _days(first, self.today - 3 * DAY)]
            if usual and recent / 3 > 2 * median(usual):
                rows.append((account.id, recent, float(median(usual))))
        return sorted(rows, key=lambda row: (-row[1], row[0]))[:25]

    def missing(self, start: datetime) -> list[tuple[UUID, int]]:
        rows = []
        for account in self.accounts:
            known = {at: n for at, n in account.counts.items() if at >= start - 7 * DAY}
            if not known:
                continue
            first = max((at for at in known if at < start), default=min(known))
            last = max(known)
            tracked_count = self.recorded(account, lambda at, a=first, b=last: a < at <= b)
            missing_count = known[last] - known[first] - tracked_count
            if missing_count > 0:
                rows.append((account.id, missing_count))
        return sorted(rows, key=lambda row: (-row[1], row[0]))

    def recorded(self, account: Profile, when: Callable[[datetime], bool]) -> int:
        return sum(
            post.account == account.id and post.appeared_at is not None and when(post.appeared_at)
            for post in self.every
        )


def _total(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _days(first: date, last: date) -> list[date]:
    return [first + n * DAY for n in range((last - first).days + 1)]
