"""Views of videos: high-water marks, owners and gains (money.md M7, M8, M14)."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cached_property
from uuid import UUID

from tests.oracles.payouts.days import ONE_DAY
from tests.oracles.payouts.facts import Row
from tests.oracles.payouts.payee import Interval, Payee


class Views:
    """The views of one video in a payee's structure."""

    def __init__(self, payee: Payee, video: Row) -> None:
        self.payee = payee
        self.video = video
        self.readings = payee.facts.readings(video)

    @cached_property
    def owned(self) -> list[tuple[UUID, datetime, datetime]]:
        """Account and half-open interval of each ownership by this payee."""
        return [
            (account, begin, end)
            for account, creator, begin, end in self.payee.facts.goals.owners[self.video["id"]]
            if creator == self.payee.creator and account is not None
        ]

    def lifetime_ends_at(self, version: Row) -> datetime | None:
        days = version["criteria_params"]["view_lifetime_days"]
        if days is None:
            return None
        begins: datetime = self.video["posted_at"] or self.first_read_at
        return begins + timedelta(hours=24 * days)

    @cached_property
    def first_read_at(self) -> datetime:
        """Time of the first reading, even one without views."""
        rows = self.payee.facts.goals.of_video[self.video["id"]]
        first: datetime = min(row["captured_at"] for row in rows)
        return first

    def is_posted_since(self, interval: Interval) -> bool:
        posted_at = self.video["posted_at"]
        return posted_at is not None and self.payee.calendar.day_of(posted_at) >= interval.run

    def base(self, interval: Interval) -> int:
        """Return the high-water mark at the start of the interval's run (M7)."""
        start = self.payee.calendar.start_of(interval.run)
        before = [reading.count for reading in self.readings if reading.at < start]
        since = [reading.count for reading in self.readings if reading.at >= start]
        if not before:
            return 0 if self.is_posted_since(interval) or not since else since[0]
        gap = self.payee.end_of_run_before(interval.run)
        if (
            gap is not None
            and since
            and not any(gap <= reading.at < start for reading in self.readings)
        ):
            return max(*before, since[0])
        return max(before)

    def mark(self, at: datetime, base: int, lifetime: datetime | None) -> int:
        """Return the largest count read before `at` and not after the lifetime."""
        counts = [
            reading.count
            for reading in self.readings
            if reading.at < at and (lifetime is None or reading.at <= lifetime)
        ]
        return max(base, *counts) if counts else base

    def gained(self, interval: Interval, version: Row, lifetime: datetime | None) -> int:
        """Return the gain of the payee's accounts in scope on the interval's days."""
        base = self.base(interval)
        return sum(
            self.mark(end, base, lifetime) - self.mark(begin, base, lifetime)
            for begin, end in self.in_scope(interval, version)
        )

    def in_scope(self, interval: Interval, version: Row) -> Iterator[tuple[datetime, datetime]]:
        calendar = self.payee.calendar
        starts_at = calendar.start_of(interval.first)
        ends_at = calendar.start_of(interval.last + ONE_DAY)
        for account, owned_from, owned_until in self.owned:
            begin, end = max(owned_from, starts_at), min(owned_until, ends_at)
            platform = self.video["platform"]
            if begin < end and self.payee.is_in_scope(version, platform, account):
                yield begin, end


def videos_of(payee: Payee) -> list[Views]:
    """Return every video with readings that the creator ever owned."""
    videos = payee.facts.videos_of_project[payee.structure["project_id"]]
    views_of_videos = [Views(payee, video) for video in videos]
    return [views for views in views_of_videos if views.owned and views.readings]
