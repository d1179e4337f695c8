"""`python -m tests.qa.benchmarks.looks_worth`: what the fetch schedule is worth, against intervals.

Sixty days of the simulator's TikTok accounts, fetched by each way of choosing, without HTTP: a
reading is the simulator's own truth at its instant. `--leaping 0.05` lets that share of posts take
off again at any hour, to 3 to 30 times their reach. An account fetch costs a request for the
profile where that is due, and one for each 15 posts down to the oldest that is due (it then reads
all of these). The rule is its oracle of the tests, which is held against the SQL.
"""

import random
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated

import typer

from scrapers.simulator.creators import make_creator
from scrapers.simulator.growth import PostGrowth, Wave
from scrapers.simulator.posts import make_post
from scrapers.simulator.records import Platform
from tests.oracles.fetches import Facts, next_fetch
from warehouse.fetch_schedule.freshness import WANTS, Wants

DAY = 86_400
POSTS_A_PAGE = 15
EVERY = 600
"""Seconds between two rounds of a worker."""
BEGINS = datetime(2026, 9, 1, tzinfo=UTC).timestamp()
WORTH_NAMING = 1_000
"""Views of a week; a share of fewer says nothing."""
THRESHOLDS = (1_000, 10_000, 100_000)
MONDAY = 4 * DAY
"""Midnight (UTC) of the first one since 1970."""


@dataclass
class Post:
    """A post, what was read of it and when it is due."""

    posted_at: float
    growth: PostGrowth
    readings: list[tuple[float, int]] = field(default_factory=list)
    a_day: float | None = None
    due_at: float = 0
    due_on_the_way: float = 0
    """From when an account fetch that is made for another post reads it too."""

    def views(self, at: float) -> int:
        """What is true of it."""
        return self.growth.counts(at)["view"] if at > self.posted_at else 0

    def read(self, at: float) -> None:
        """Note a reading, as registration does."""
        views = self.views(at)
        before, count = self.readings[-1] if self.readings else (self.posted_at, 0)
        pace = DAY * (views - count) / max(60, at - before)
        self.a_day = max(pace, (self.a_day or 0) / 2, 0)
        self.readings.append((at, views))

    def known(self, at: float) -> int:
        """The views last read before an instant."""
        place = bisect_right(self.readings, (at, -1))
        return self.readings[place - 1][1] if place else 0


@dataclass
class Account:
    """An account's posts, the newest last, and when its profile is due."""

    posts: list[Post]
    lead: float
    due_at: float = BEGINS

    def shown(self, at: float) -> list[Post]:
        """The posts on its profile, newest first."""
        return [post for post in reversed(self.posts) if post.posted_at <= at]


@dataclass(frozen=True)
class Result:
    """What a way of choosing cost and how far off its figures are (shares of what is true)."""

    requests_a_day: float
    daily: float
    weekly: float
    marks: float
    account_week: float
    latest_hours: float


def accounts(number: int, days: int, seed: int, leaping: float = 0) -> list[Account]:
    """The accounts of a world with the 40 newest posts at the start, and those that come."""
    made = []
    for account_number in range(number):
        creator = make_creator(seed, Platform.TIKTOK, account_number)
        first = max(0, creator.schedule.published(BEGINS) - 40)
        last = creator.schedule.published(BEGINS + days * DAY)
        drawn = [make_post(seed, creator, place, 2_000) for place in range(first, last)]
        drawing = random.Random(f"{seed} {account_number}")
        posts = [
            Post(post.posted_at, _leaping(drawing, post.growth, days, leaping)) for post in drawn
        ]
        for post in posts:
            if post.posted_at < BEGINS:
                post.readings.append((BEGINS, post.views(BEGINS)))
                post.a_day, post.due_at = None, BEGINS
        made.append(Account(posts, lead=60 * (12 + account_number % 32)))
    return made


def _leaping(drawing: random.Random, growth: PostGrowth, days: int, share: float) -> PostGrowth:
    """Return the growth, of a share of the posts with another wave after the first day."""
    if drawing.random() >= share:
        return growth
    [first, *_] = growth.waves
    wave = Wave(
        starts_at=max(BEGINS, first.starts_at) + drawing.uniform(1, days) * DAY,
        ceiling=first.ceiling * 3 * 10 ** drawing.random(),
        pace=drawing.uniform(0.5, 2) * DAY,
    )
    return replace(growth, waves=(*growth.waves, wave))


def by_interval(accounts_read: list[Account], days: int, hours: float) -> int:
    """Fetch every account each so many hours, and read all its posts; return the requests."""
    requests = 0
    for number, account in enumerate(accounts_read):
        at = BEGINS + (1 + number) * 0.618 % 1 * hours * 3600  # at any hour of the day
        while at < BEGINS + days * DAY:
            posts = account.shown(at)
            requests += 1 + max(1, -(-len(posts) // POSTS_A_PAGE))
            for post in posts:
                post.read(at)
            at += hours * 3600
    return requests


def by_plan(accounts_read: list[Account], days: int, wants: Wants) -> int:
    """Account fetch what is due by the rule; return the requests."""
    return sum(_planned(account, days, wants) for account in accounts_read)


def _planned(account: Account, days: int, wants: Wants) -> int:
    requests, at = 0, BEGINS
    while at < BEGINS + days * DAY:
        posts = account.shown(at)
        with_profile = account.due_at <= at
        if with_profile or any(post.readings and post.due_at <= at for post in posts):
            due = [
                place
                for place, post in enumerate(posts)
                if post.readings and post.due_on_the_way <= at
            ]
            reads = max(POSTS_A_PAGE, due[-1] + 1 if due else 0)
            requests += with_profile + -(-reads // POSTS_A_PAGE)
            for post in posts[:reads]:
                post.read(at)
                _plan(account, post, at, wants)
        if with_profile:
            mark = _mark(account, at)
            usual = at + wants.account_every
            account.due_at = mark if mark < usual + wants.account_every / 4 else usual
        waiting = [post.due_at for post in posts if post.readings]
        at = max(at + EVERY, EVERY * -(-min([account.due_at, *waiting]) // EVERY))
    return requests


def _mark(account: Account, at: float) -> float:
    """The next end of a day, less the account's lead."""
    return ((at + account.lead + 300) // DAY + 1) * DAY - account.lead


def _plan(account: Account, post: Post, at: float, wants: Wants) -> None:
    """Have the rule say when a post is fetched again; weeks pay."""
    mark = _mark(account, at)
    ends = _next_monday(at + 900)
    views = post.readings[-1][1]
    due_at, reason = next_fetch(
        Facts(
            looked_at=_instant(at),
            posted_at=_instant(post.posted_at),
            read_at=_instant(at),
            views=views,
            views_a_day=post.a_day,
            threshold=min(
                (threshold for threshold in THRESHOLDS if threshold > views), default=None
            ),
            day_end_at=_instant(mark),
            deadline=_instant(ends - 600 - account.lead / 8),
        ),
        wants,
    )
    post.due_at = due_at.timestamp()
    is_early = 1.0 if reason in {"day_end", "period_end"} else 0.75
    post.due_on_the_way = at + (post.due_at - at) * is_early


def _next_monday(at: float) -> float:
    """The end of the week that an instant lies in: weeks pay (money.md M2)."""
    return ((at - MONDAY) // (7 * DAY) + 1) * 7 * DAY + MONDAY


def _instant(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def measured(accounts_read: list[Account], days: int, requests: int) -> Result:
    """Compare what was read with what is true, by days, by paid weeks of an account, at their ends.

    The first week is left out: nobody knew before the first reading when it was to begin.
    """
    wrong: dict[str, float] = defaultdict(float)
    right: dict[str, float] = defaultdict(float)
    for name, seen, true in _sums(accounts_read, days):
        wrong[name] += abs(seen - true)
        right[name] += true
    share = {name: wrong[name] / right[name] for name in right}
    return Result(
        requests / days,
        share["daily"],
        share["weekly"],
        share["marks"],
        max(_account_weeks(accounts_read, days), default=0),
        _latest(accounts_read),
    )


def _account_weeks(accounts_read: list[Account], days: int) -> Iterator[float]:
    """Yield how far off each paid week of an account is that gained 1,000 views at least."""
    for account in accounts_read:
        for name, seen, true in _sums([account], days):
            if name == "weekly" and true >= WORTH_NAMING:
                yield abs(seen - true) / true


def _sums(accounts_read: list[Account], days: int) -> Iterator[tuple[str, int, int]]:
    ends = [BEGINS + day * DAY for day in range(days + 1)]
    daily_seen, daily_true = [0] * (days + 1), [0] * (days + 1)
    for account in accounts_read:
        seen, true = [0] * (days + 1), [0] * (days + 1)
        for post in account.posts:
            for day, end in enumerate(ends):
                seen[day] += post.known(end + 1)
                true[day] += post.views(end)
        for day in range(days + 1):
            daily_seen[day] += seen[day]
            daily_true[day] += true[day]
        for week in (day for day in range(7, days + 1) if ends[day] == _next_monday(ends[day] - 1)):
            gained = max(0, true[week] - true[week - 7])
            yield "weekly", seen[week] - seen[week - 7], gained
            yield "marks", seen[week], true[week]
    for day in range(2, days + 1):
        yield "daily", daily_seen[day] - daily_seen[day - 1], daily_true[day] - daily_true[day - 1]


def _latest(accounts_read: list[Account]) -> float:
    """For how many hours the passing of a threshold remained unseen at most."""
    unseen = [0.0]
    for post in (post for account in accounts_read for post in account.posts):
        for (before, less), (met, views) in pairwise([(post.posted_at, 0), *post.readings]):
            unseen += [
                met - _passed(post, threshold, before, met)
                for threshold in THRESHOLDS
                if less < threshold <= views and met > BEGINS
            ]
    return max(unseen) / 3600


def _passed(post: Post, threshold: int, before: float, after: float) -> float:
    """When a post came to so many views, to the minute."""
    while after - before > 60:
        middle = (before + after) / 2
        is_met = post.views(middle) >= threshold
        before, after = (before, middle) if is_met else (middle, after)
    return after


WAYS: Mapping[str, float | str] = {
    "every hour": 1,
    "every 6 hours": 6,
    "every day": 24,
    "`fast`": "fast",
    "`standard`": "standard",
    "`frugal`": "frugal",
}


def main(
    creators: Annotated[int, typer.Option(help="Accounts.")] = 100,
    days: Annotated[int, typer.Option(help="Simulated days.")] = 60,
    seed: Annotated[int, typer.Option(help="Of the simulated world.")] = 1,
    leaping: Annotated[float, typer.Option(help="Share of posts that take off again.")] = 0,
) -> None:
    """Print a table of requests and errors, in the form of docs/guides/fetch-schedule.md."""
    columns = "requests a day | daily views | weekly views | marks | worst account-week | latest"
    typer.echo(f"| fetched | {columns} |")
    typer.echo("|---|---|---|---|---|---|---|")
    for name, way in WAYS.items():
        accounts_read = accounts(creators, days, seed, leaping)
        if isinstance(way, str):
            requests = by_plan(accounts_read, days, {**WANTS}[way])  # type: ignore[index]
        else:
            requests = by_interval(accounts_read, days, way)
        of = measured(accounts_read, days, requests)
        typer.echo(
            f"| {name} | {of.requests_a_day:,.0f} | {of.daily:.2%} | {of.weekly:.2%}"
            f" | {of.marks:.3%} | {of.account_week:.1%} | {of.latest_hours:.0f} h |"
        )


if __name__ == "__main__":
    typer.run(main)
