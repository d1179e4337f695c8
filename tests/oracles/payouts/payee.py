"""A structure and a creator: versions, covered days and runs (money.md M4 to M6, M12)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

from tests.oracles.payouts.days import ONE_DAY, Calendar, Period
from tests.oracles.payouts.facts import Facts, Row

NAMESPACE = UUID("5b0f6c1e-3d0a-5a52-9a0e-6f1f0c8f3b77")
NOTHING_ENDS_LATER = timedelta(days=62)
"""Future days matter up to the end of the current period, at most a month."""


@dataclass(frozen=True)
class Interval:
    """Consecutive covered days; `run` is the first day of their run."""

    first: date
    last: date
    run: date


class Payee:
    """A creator paid by a structure, the unit of all computations (M5)."""

    def __init__(self, facts: Facts, structure: Row, creator: UUID) -> None:
        self.facts = facts
        self.structure = structure
        self.creator = creator
        self.versions = of_present_shape(facts.versions[structure["id"]])
        last = self.versions[-1]
        self.type: str = last["criteria_type"]
        self.has_periods = last["period"] is not None
        self.is_backfilled = bool(last["backfill_on_assignment"])
        organization = facts.organizations[structure["organization_id"]]
        self.timezone: str = structure["timezone"] or organization["analytics_tz"]
        self.calendar = Calendar(
            ZoneInfo(self.timezone), last["period"], last["period_anchor"] or 1
        )

    # Versions (M4)

    def version_of(self, period: Period) -> Row:
        begun = [row for row in self.versions if row["created_at"] < period.ends_at]
        if not begun:
            return self.versions[0]
        return max(begun, key=lambda row: (row["created_at"], row["number"]))

    # Days (M5, M6)

    @cached_property
    def assignments(self) -> list[Row]:
        rows = self.facts.assignments[self.structure["id"]]
        return [row for row in rows if row["creator_id"] == self.creator]

    @cached_property
    def horizon(self) -> date:
        return self.calendar.day_of(self.facts.as_of) + NOTHING_ENDS_LATER

    def is_assigned(self, day: date) -> bool:
        return any(
            row["start_date"] <= day and (row["end_date"] is None or day <= row["end_date"])
            for row in self.assignments
        )

    def is_paused(self, day: date) -> bool:
        return any(first <= day < following for first, following in self.pauses)

    @cached_property
    def pauses(self) -> list[tuple[date, date]]:
        return [
            (self.calendar.day_of(row["paused_at"]) + ONE_DAY, self.resumed_on(row["restarted_at"]))
            for row in self.facts.pauses[self.creator]
        ]

    def resumed_on(self, restarted_at: datetime | None) -> date:
        if restarted_at is None:
            return date.max
        restarted_on = self.calendar.day_of(restarted_at)
        return self.calendar.following(self.calendar.first_of(restarted_on))

    @cached_property
    def covered(self) -> list[date]:
        day = min(row["start_date"] for row in self.assignments)
        days = []
        while day <= self.horizon:
            if self.is_assigned(day) and not self.is_paused(day):
                days.append(day)
            day += ONE_DAY
        return days

    @cached_property
    def run_of(self) -> dict[date, date]:
        """Map each covered day to the first day of its run."""
        runs: dict[date, date] = {}
        for day in self.covered:
            runs[day] = runs.get(day - ONE_DAY, day)
        return runs

    def end_of_run_before(self, run: date) -> datetime | None:
        """Return when the run before the one that starts on `run` ended; None for the first."""
        earlier = [day for day in self.covered if day < run]
        return self.calendar.start_of(earlier[-1] + ONE_DAY) if earlier else None

    def counts_on(self, day: date) -> bool:
        """Whether events on this day pay, including days added by backfill (M9, M12)."""
        if not self.is_backfilled:
            return day in self.run_of
        if not self.covered or self.calendar.start_of(self.covered[0]) > self.facts.as_of:
            return False
        return day <= self.covered[-1] and not self.is_paused(day)

    # Periods (M2, M3)

    def begun_periods(self) -> Iterator[Period]:
        """Yield each period that has a covered day and has begun."""
        firsts = sorted({self.calendar.first_of(day) for day in self.covered})
        periods = [self.calendar.period_of(first) for first in firsts]
        yield from (period for period in periods if period.starts_at <= self.facts.as_of)

    def intervals(self, period: Period) -> list[Interval]:
        intervals: list[Interval] = []
        for day in period.days():
            if day not in self.run_of:
                continue
            run = self.run_of[day]
            if intervals and intervals[-1].run == run:
                intervals[-1] = Interval(intervals[-1].first, day, run)
            else:
                intervals.append(Interval(day, day, run))
        return intervals

    def covered_days(self, period: Period) -> int:
        return sum(day in self.run_of for day in period.days())

    def paused_days(self, period: Period) -> int:
        return sum(self.is_assigned(day) and self.is_paused(day) for day in period.days())

    def is_cut_by_a_pause(self, period: Period) -> bool:
        """Whether a day would count (counts_on) without a pause of payouts."""
        return any(
            self.is_paused(day)
            and (self.is_assigned(day) or (self.is_backfilled and day <= self.covered[-1]))
            for day in period.days()
        )

    def unassigned_days(self, period: Period) -> int:
        return sum(not self.is_assigned(day) for day in period.days())

    # Scope

    def is_in_scope(self, version: Row, platform: str | None, account: UUID | None) -> bool:
        if version["platform_scope"] == "platform":
            return account is not None and bool(platform == version["platform"])
        if version["platform_scope"] == "account":
            return bool(account == version["account_id"])
        return True

    # Ids (M16)

    def accrual_id(self, period: Period, *subject: object) -> UUID:
        """`subject`: none, the conversion, or the video and its view_count."""
        about = subject or (self.creator, period.first)
        return uuid5(NAMESPACE, "/".join(str(part) for part in (self.structure["id"], *about)))


def of_present_shape(versions: list[Row]) -> list[Row]:
    """Return the versions of the last one's type and period: others cannot be in force."""
    ordered = sorted(versions, key=lambda row: row["number"])
    shape = (ordered[-1]["criteria_type"], ordered[-1]["period"])
    return [row for row in ordered if (row["criteria_type"], row["period"]) == shape]


def payees(facts: Facts) -> Iterator[Payee]:
    """Yield every creator whom a structure was ever assigned to."""
    for structure in facts.structures.values():
        rows = facts.assignments[structure["id"]]
        for creator in sorted({row["creator_id"] for row in rows}):
            yield Payee(facts, structure, creator)
