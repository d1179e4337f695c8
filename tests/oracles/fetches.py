"""The time of a post's next fetch, computed slowly and step by step."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from warehouse.fetch_schedule.freshness import Wants

DAY = 86_400
LONG = 72_000


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is known of a post at its last fetch."""

    looked_at: datetime | None
    posted_at: datetime
    read_at: datetime | None = None
    views: int | None = None
    views_a_day: float | None = None
    threshold: int | None = None
    day_end_at: datetime | None = None
    deadline: datetime | None = None


def next_fetch(facts: Facts, wants: Wants) -> tuple[datetime, str, datetime | None]:
    """Return the time of the next fetch, its reason, and the time from which it is useful."""
    if facts.looked_at is None:
        return facts.posted_at, "never_fetched", None
    waits = _waits(facts, wants)
    shortest_first = min(waits.values())
    reason = next(name for name in waits if waits[name] == shortest_first)
    least = wants.shortest
    if "failed" in waits:
        least = min(least, waits["failed"])
    wait = max(shortest_first, least)
    due_at = facts.looked_at + timedelta(seconds=wait)
    is_long = wait >= min(LONG, wants.longest)
    ends_with_day = bool(
        is_long
        and facts.day_end_at
        and facts.deadline
        and facts.looked_at < facts.deadline
        and facts.day_end_at < facts.deadline < facts.day_end_at + timedelta(hours=1)
        and facts.deadline < facts.looked_at + timedelta(seconds=wants.longest)
    )
    pays_at = facts.deadline if ends_with_day or _grows_by(facts, facts.deadline) else None
    awaits_day_end = bool(
        facts.day_end_at
        and facts.day_end_at > facts.looked_at
        and (is_long or _grows_by(facts, facts.day_end_at))
        and facts.day_end_at <= facts.looked_at + timedelta(seconds=wants.longest)
        and facts.day_end_at < due_at + timedelta(seconds=wait / 4)
    )
    ends = [due_at, facts.day_end_at] if facts.day_end_at and awaits_day_end else [due_at]
    if pays_at and (ends_with_day or pays_at < max(ends)):
        return pays_at, "period_end", pays_at
    if facts.day_end_at and awaits_day_end:
        return facts.day_end_at, "day_end", pays_at
    if reason == "threshold":
        return due_at, reason, min(due_at, pays_at or due_at)
    return due_at, reason, pays_at


def _waits(facts: Facts, wants: Wants) -> dict[str, float]:
    """Return seconds to the next fetch by reason; among equal ones the first counts."""
    assert facts.looked_at is not None
    waits: dict[str, float] = {}
    a_day = None if facts.views_a_day is None else max(facts.views_a_day, 1e-6)
    if a_day is not None and facts.threshold is not None and facts.views is not None:
        waits["threshold"] = DAY * (facts.threshold - facts.views) / a_day
    if facts.read_at is None or facts.read_at < facts.looked_at:
        unread = (facts.looked_at - facts.read_at).total_seconds() if facts.read_at else 0
        waits["failed"] = max(3600, unread)
    if a_day is not None:
        waits["growth"] = DAY * max(facts.views or 0, 1000) * wants.share / a_day
    waits["age"] = (facts.looked_at - facts.posted_at).total_seconds() / 2
    waits["idle"] = wants.longest
    return waits


def _grows_by(facts: Facts, at: datetime | None) -> bool:
    """Return whether a post may have another view by that instant."""
    assert facts.looked_at is not None
    if at is None or at <= facts.looked_at:
        return False
    if facts.views_a_day is None:
        return True
    days = (at - facts.looked_at).total_seconds() / DAY
    return max(facts.views_a_day, 1e-6) * days >= 1
