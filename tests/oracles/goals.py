"""Goal compliance computed slowly, rule by rule (money.md M2, M7, M14, M20 to M22).

It shares no code with the models: zoneinfo converts instants to days, and each count is looked up
in the list of all readings.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from tests.oracles.meanings import on_one_scale

Row = dict[str, Any]
Tables = dict[str, list[Row]]

MICROSECOND = timedelta(microseconds=1)
EARLIEST = datetime(1, 1, 2, tzinfo=UTC)
LATEST = datetime(9999, 12, 30, tzinfo=UTC)
POSTED_AT_AWAITED = timedelta(hours=48)
COUNTED = {"auto_tracked", "included", "direct_add"}
ENGAGEMENT = ("like_count", "comment_count", "share_count", "save_count")
SHOWN = (
    "goal_id",
    "organization_id",
    "project_id",
    "creator_id",
    "metric",
    "period",
    "start_date",
    "end_date",
    "platform_scope",
    "platform",
    "account_id",
)


@dataclass(frozen=True)
class Span:
    """A period: its days and their half-open interval of time."""

    first: date
    next: date
    starts_at: datetime
    ends_at: datetime


@dataclass(frozen=True)
class Reading:
    at: datetime
    count: int


class Goals:
    """Readings up to as_of and decisions."""

    def __init__(self, operational: Tables, facts: Tables, as_of: datetime) -> None:
        self.as_of = as_of
        self.tables = operational
        self.zones = {
            row["id"]: ZoneInfo(row["analytics_tz"]) for row in operational["organizations"]
        }
        self.accounts = {row["id"]: row for row in operational["accounts"]}
        self.of_video = grouped(facts["video_snapshots"], "video_id", as_of)
        self._readings: dict[tuple[UUID, str], list[Reading]] = {}
        self.of_account = grouped(facts["account_snapshots"], "account_id", as_of)
        dated: dict[UUID, list[Row]] = {}
        for row in operational["video_owners"]:
            dated.setdefault(row["video_id"], []).append(row)
        self.owners = {
            row["id"]: list(intervals(row, dated.get(row["id"], [])))
            for row in operational["videos"]
        }

    def compliance(self) -> list[Row]:
        """Yield a row for every judged period of every goal that has begun."""
        goals: dict[UUID, list[Row]] = {}
        for state in self.tables["goal_states"]:
            goals.setdefault(state["goal_id"], []).append(state)
        return [row for states in goals.values() for row in self.of_goal(states)]

    def of_goal(self, states: list[Row]) -> Iterator[Row]:
        states = sorted(states, key=lambda state: state["valid_from"])
        zone = self.zones[states[0]["organization_id"]]
        for kind in ("daily", "weekly", "monthly"):
            if any(state["period"] == kind for state in states):
                for span in self.spans(kind, self.first_day(states, zone), zone):
                    state = self.judging(states, span)
                    if state["period"] == kind and is_judged(state, span):
                        yield self.judged(state, span, run_day(states, state, span, zone))

    def counts(self, video: Row) -> bool:
        return video["tracking_status"] in COUNTED and not self.is_held(video)

    def is_held(self, video: Row) -> bool:
        """Whether its posting time is an estimate that may still change."""
        if not video["posted_at_is_estimate"]:
            return False
        added: datetime = video["created_at"]
        return self.as_of < added + POSTED_AT_AWAITED

    # Periods (M2, M21)

    def first_day(self, states: list[Row], zone: ZoneInfo) -> date:
        starts: list[date | None] = [state["start_date"] for state in states]
        if None in starts:
            creator = states[0]["creator_id"]
            known: list[datetime] = [states[0]["valid_from"], *self.first_seen(creator)]
            starts.append(min(known).astimezone(zone).date())
        return min(day for day in starts if day is not None)

    def first_seen(self, creator: UUID) -> Iterator[datetime]:
        for account in self.accounts.values():
            if account["creator_id"] == creator:
                yield from (row["captured_at"] for row in self.of_account.get(account["id"], []))
        for video, owners in self.owners.items():
            if any(owner == creator for _, owner, _, _ in owners):
                yield from (row["captured_at"] for row in self.of_video.get(video, []))

    def spans(self, kind: str, first: date, zone: ZoneInfo) -> Iterator[Span]:
        day = period_of(first, kind)
        while (starts_at := beginning(day, zone)) <= self.as_of:
            following = next_of(day, kind)
            yield Span(day, following, starts_at, beginning(following, zone))
            day = following

    def judging(self, states: list[Row], span: Span) -> Row:
        """Return the goal's state at the period's end or now, or its first state."""
        if span.ends_at <= self.as_of:
            stood = [state for state in states if state["valid_from"] < span.ends_at]
        else:
            stood = [state for state in states if state["valid_from"] <= self.as_of]
        return stood[-1] if stood else states[0]

    def judged(self, state: Row, span: Span, since: date) -> Row:
        actual, target = self.actual(state, span, since), state["target_value"]
        tenths = Decimal(actual * 1000) / Decimal(target)
        return {
            **{name: state[name] for name in SHOWN},
            "goal_state_id": state["id"],
            "period_start": span.first,
            "period_end": span.next - timedelta(days=1),
            "starts_at": span.starts_at,
            "ends_at": span.ends_at,
            "target_value": target,
            "actual": actual,
            "percentage": tenths.quantize(Decimal(1), ROUND_HALF_UP) / 10,
            "status": self.status(state["metric"], actual, target, span),
        }

    def status(self, metric: str, actual: int, target: int, span: Span) -> str:
        if span.ends_at <= self.as_of:
            return "completed" if actual >= target else "missed"
        elapsed, length = self.as_of - span.starts_at, span.ends_at - span.starts_at
        part = Fraction(elapsed // MICROSECOND, length // MICROSECOND)
        due = target * part
        if metric == "posts":
            due = Fraction(due.numerator // due.denominator)
        if part <= Fraction(15, 100) or actual >= due:
            return "on_track"
        return "behind_pace" if actual >= Fraction(7, 10) * due else "at_risk"

    # Actuals (M20)

    def actual(self, state: Row, span: Span, since: date) -> int:
        if state["metric"] == "followers":
            return sum(self.growth(account, span) for account in self.in_scope(state))
        videos = [row for row in self.tables["videos"] if self.counts(row)]
        if state["metric"] == "posts":
            return sum(self.is_posted(video, state, span) for video in videos)
        counters = ("view_count",) if state["metric"] == "views" else ENGAGEMENT
        return sum(
            self.rise(video, counter, state, span, since)
            for video in videos
            for counter in counters
        )

    def in_scope(self, state: Row) -> Iterator[UUID]:
        for account in self.accounts.values():
            if account["creator_id"] == state["creator_id"] and self.fits(state, account["id"]):
                yield account["id"]

    def fits(self, state: Row, account: UUID | None) -> bool:
        if state["platform_scope"] == "account":
            return bool(account == state["account_id"])
        if account not in self.accounts:
            return False
        platform = state["platform"]
        return platform is None or bool(self.accounts[account]["platform"] == platform)

    def is_posted(self, video: Row, state: Row, span: Span) -> bool:
        at = video["posted_at"]
        if at is None or at > self.as_of or not span.starts_at <= at < span.ends_at:
            return False
        return any(
            begin <= at < end and creator == state["creator_id"] and self.fits(state, account)
            for account, creator, begin, end in self.owners[video["id"]]
        )

    def rise(self, video: Row, counter: str, state: Row, span: Span, since: date) -> int:
        readings = self.readings(video, counter)
        if not readings:
            return 0
        base = readings[0].count
        zone = self.zones[video["organization_id"]]
        if video["posted_at"] and video["posted_at"].astimezone(zone).date() >= since:
            base = 0
        risen = 0
        for account, creator, begin, end in self.owners[video["id"]]:
            start, stop = max(begin, span.starts_at), min(end, span.ends_at)
            is_owner = creator == state["creator_id"] and account is not None
            if start < stop and is_owner and self.fits(state, account):
                risen += mark(readings, stop, base) - mark(readings, start, base)
        return risen

    def readings(self, video: Row, counter: str) -> list[Reading]:
        """Return one count for each instant, oldest first (M7)."""
        key = (video["id"], counter)
        if key not in self._readings:
            self._readings[key] = merged(self.of_video.get(video["id"], []), counter)
        return self._readings[key]

    def growth(self, account: UUID, span: Span) -> int:
        if self.is_idle(account, span):
            return 0
        readings = merged(self.of_account.get(account, []), "follower_count")
        within = [reading for reading in readings if span.starts_at <= reading.at < span.ends_at]
        before = [reading for reading in readings if reading.at < span.starts_at]
        if not within:
            return 0
        return within[-1].count - (before[-1].count if before else within[0].count)

    def is_idle(self, account: UUID, span: Span) -> bool:
        """Whether the account was inactive throughout the period."""
        row = self.accounts[account]
        if not row["is_active"] and (row["removed_at"] or EARLIEST) <= span.starts_at:
            return True
        return any(
            account_deactivation["deactivated_at"] <= span.starts_at
            and (account_deactivation["reactivated_at"] or LATEST) >= span.ends_at
            for account_deactivation in self.tables["account_deactivations"]
            if account_deactivation["account_id"] == account
        )


def intervals(
    video: Row, rows: list[Row]
) -> Iterator[tuple[UUID | None, UUID | None, datetime, datetime]]:
    """Yield account, creator and the half-open interval of each owner (M14)."""
    if not rows:
        yield video["account_id"], video["creator_id"], EARLIEST, LATEST
        return
    rows = sorted(rows, key=lambda row: row["valid_from"])
    bounds = [EARLIEST, *(row["valid_from"] for row in rows[1:]), LATEST]
    for row, (begin, end) in zip(rows, pairwise(bounds), strict=True):
        yield row["account_id"], row["creator_id"], begin, end


def grouped(rows: list[Row], key: str, as_of: datetime) -> dict[UUID, list[Row]]:
    groups: dict[UUID, list[Row]] = {}
    for row in rows:
        if row["captured_at"] <= as_of:
            groups.setdefault(row[key], []).append(row)
    return groups


def merged(rows: list[Row], counter: str) -> list[Reading]:
    """Return one count for each instant: the exact or else larger one; rounded ones at their
    minimum.

    Views of two meanings are on one scale.
    """
    if counter == "view_count" and (scaled := on_one_scale(rows, least)):
        return [Reading(at, scaled_reading.count) for at, scaled_reading in scaled.items()]
    instants: dict[datetime, list[tuple[bool, int]]] = {}
    for row in rows:
        if row[counter] is not None:
            count = row[counter] if row["is_exact"] else least(row[counter])
            instants.setdefault(row["captured_at"], []).append((row["is_exact"], count))
    return [Reading(at, max(counts)[1]) for at, counts in sorted(instants.items())]


def least(count: int) -> int:
    """Return the smallest number that platforms round to this one."""
    for below, step in ((1_000, 1), (1_000_000, 100), (10**9, 100_000)):
        if count < below:
            return count - step // 2 if step > 1 and count % step == 0 else count
    return count - 50_000_000 if count % 10**8 == 0 else count


def mark(readings: list[Reading], at: datetime, base: int) -> int:
    """Return the largest count read before an instant (M7)."""
    return max((reading.count for reading in readings if reading.at < at), default=base)


def is_judged(state: Row, span: Span) -> bool:
    in_force = state["is_active"] and not state["is_deleted"]
    begun = state["start_date"] is None or state["start_date"] <= span.first
    last = span.next - timedelta(days=1)
    return in_force and begun and (state["end_date"] is None or last <= state["end_date"])


def run_day(states: list[Row], state: Row, span: Span, zone: ZoneInfo) -> date:
    """Return the day from which a new post counts from zero."""
    created: datetime = states[0]["valid_from"]
    start: date | None = state["start_date"]
    return min(created.astimezone(zone).date(), span.first) if start is None else start


def beginning(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


def period_of(day: date, kind: str) -> date:
    if kind == "monthly":
        return day.replace(day=1)
    return day - timedelta(days=day.weekday()) if kind == "weekly" else day


def next_of(day: date, kind: str) -> date:
    if kind == "monthly":
        return (day + timedelta(days=31)).replace(day=1)
    return day + timedelta(days=7 if kind == "weekly" else 1)
