"""Progress of a creator towards a goal in a structure's period (money.md M20).

Like tests.oracles.goals, but in the structure's zone, for the videos that count in this accrual,
and in the part of the goal's scope that the structure shares.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from tests.oracles.goals import ENGAGEMENT, Span, mark
from tests.oracles.payouts.days import ONE_DAY, Period
from tests.oracles.payouts.facts import Row
from tests.oracles.payouts.payee import Payee


@dataclass(frozen=True)
class Actuals:
    """Counts of the accounts in `scope`; a post made since `since` counts from zero."""

    payee: Payee
    period: Period
    scope: Row
    since: date

    def of(self, metric: str) -> int:
        if metric == "followers":
            return self.followers()
        if metric == "posts":
            return len(list(self.posted(metric)))
        counters = ("view_count",) if metric == "views" else ENGAGEMENT
        return sum(self.rise(video, counter) for video in self.counted() for counter in counters)

    def posted(self, metric: str) -> Iterator[str]:
        if metric == "posts":
            yield from (str(video["id"]) for video in self.counted() if self.is_posted(video))

    def counted(self) -> Iterator[Row]:
        accrual = self.payee.accrual_id(self.period)
        facts = self.payee.facts
        for video in facts.videos_of_project[self.payee.structure["project_id"]]:
            if facts.counts(video, accrual):
                yield video

    def is_ours(self, account: UUID | None, creator: UUID | None) -> bool:
        accounts = self.payee.facts.accounts
        if creator != self.payee.creator or account not in accounts:
            return False
        if self.scope["account_id"] is not None:
            return bool(account == self.scope["account_id"])
        platform = self.scope["platform"]
        return platform is None or bool(accounts[account]["platform"] == platform)

    def is_posted(self, video: Row) -> bool:
        at = video["posted_at"]
        if at is None or at > self.payee.facts.as_of:
            return False
        if not self.period.starts_at <= at < self.period.ends_at:
            return False
        return any(
            begin <= at < end and self.is_ours(account, creator)
            for account, creator, begin, end in self.payee.facts.goals.owners[video["id"]]
        )

    def rise(self, video: Row, counter: str) -> int:
        readings = self.payee.facts.readings(video, counter)
        if not readings:
            return 0
        posted_at = video["posted_at"]
        is_new = posted_at is not None and self.payee.calendar.day_of(posted_at) >= self.since
        base = 0 if is_new else readings[0].count
        risen = 0
        for account, creator, begin, end in self.payee.facts.goals.owners[video["id"]]:
            start, stop = max(begin, self.period.starts_at), min(end, self.period.ends_at)
            if start < stop and self.is_ours(account, creator):
                risen += mark(readings, stop, base) - mark(readings, start, base)
        return risen

    def risen(self, metric: str) -> Iterator[tuple[Any, ...]]:
        """Yield counter, post, account, both counts, and whether they include the first one."""
        counters = {"views": ("view_count",), "engagement": ENGAGEMENT}.get(metric, ())
        for video in self.counted():
            for counter in counters:
                readings = self.payee.facts.readings(video, counter)
                for account, creator, begin, end in self.payee.facts.goals.owners[video["id"]]:
                    start, stop = max(begin, self.period.starts_at), min(end, self.period.ends_at)
                    if not any(start <= reading.at < stop for reading in readings):
                        continue
                    was, came = (mark(readings, at, readings[0].count) for at in (start, stop))
                    is_first = start <= readings[0].at
                    if self.is_ours(account, creator) and (was < came or (is_first and came)):
                        named = f"{counter.removesuffix('_count')}s"
                        yield named, str(video["id"]), str(account), was, came, is_first

    def followers(self) -> int:
        period = self.period
        span = Span(period.first, period.last + ONE_DAY, period.starts_at, period.ends_at)
        return sum(
            self.payee.facts.goals.growth(account["id"], span)
            for account in self.payee.facts.accounts.values()
            if self.is_ours(account["id"], account["creator_id"])
        )
