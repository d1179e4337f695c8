"""Odd readings that put amounts on hold, one amount and one reading at a time."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, time
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from tests.oracles.goals import Span
from tests.oracles.payouts.days import ONE_DAY
from tests.oracles.payouts.facts import Facts

Row = Mapping[str, Any]
SEEN = {"views", "engagement"}
"""Metrics of goals that depend on readings of posts."""


def holds(
    versions: Iterable[Row], earnings: Iterable[Row], anomalies: Iterable[Row], facts: Facts
) -> set[tuple[UUID, UUID]]:
    """Return (accrual, anomaly) pairs of versions that hold anomalies."""
    holding = {row["id"]: row for row in versions if row["hold_anomalies"]}
    owed = list(earnings)
    listed = [anomaly for anomaly in anomalies if anomaly["reason"] != "platform_wide"]
    carrying = carried_into(owed)
    return {
        (earning["accrual_id"], anomaly["anomaly_id"])
        for earning in owed
        if earning["version_id"] in holding
        for source in (earning, *carrying[earning["accrual_id"]])
        for anomaly in listed
        if is_behind(holding[earning["version_id"]], source, anomaly, facts)
    }


def carried_into(earnings: Iterable[Row]) -> Mapping[UUID, list[Row]]:
    """Return the periods whose carried views a period pays, by its accrual (M8)."""
    carried: defaultdict[UUID, list[Row]] = defaultdict(list)
    waiting: defaultdict[tuple[UUID, UUID], list[Row]] = defaultdict(list)
    for row in sorted(earnings, key=lambda row: row["period_start"]):
        if row["criteria_type"] == "cpm":
            payee = row["structure_id"], row["creator_id"]
            if json.loads(row["evidence"])["carry_out"]:
                waiting[payee].append(row)
            else:
                carried[row["accrual_id"]] = waiting.pop(payee, [])
    return carried


def is_behind(version: Row, earning: Row, anomaly: Row, facts: Facts) -> bool:
    """Whether an amount depends on a reading."""
    evidence = json.loads(earning["evidence"])
    zone = ZoneInfo(earning["timezone"])
    match earning["criteria_type"]:
        case "cpm":
            return any(
                in_period(earning, begun, done) and (end is None or begun <= end)
                for _, begun, done in owned_by(earning["creator_id"], anomaly, facts)
                for end in lifetimes(evidence, anomaly["video_id"])
            )
        case "goals":
            return any(
                in_goal(goal, version, earning, anomaly, facts)
                for goal in evidence["goals"]
                if goal["metric"] in SEEN
            )
        case "view_threshold":
            first = anomaly["first_counted_at"].astimezone(zone).date()
            is_of_post = anomaly["video_id"] == earning["subject_id"]
            return bool(is_of_post and first <= earning["period_end"])
    return False


def owned_by(
    creator: UUID, anomaly: Row, facts: Facts
) -> Iterator[tuple[UUID, datetime, datetime]]:
    """Yield the accounts by which a creator owned the post during the odd readings (M14)."""
    for account, owner, begin, end in facts.goals.owners[anomaly["video_id"]]:
        if (
            owner == creator
            and begin <= anomaly["captured_at"]
            and anomaly["first_counted_at"] < end
        ):
            yield (
                account,
                max(begin, anomaly["first_counted_at"]),
                min(end, anomaly["captured_at"]),
            )


def in_period(earning: Row, begun: datetime, done: datetime) -> bool:
    """Whether an interval overlaps an amount's period."""
    zone = ZoneInfo(earning["timezone"])
    first, last = (each.astimezone(zone).date() for each in (begun, done))
    return bool(earning["period_start"] <= last and first <= earning["period_end"])


def lifetimes(evidence: Row, video_id: UUID) -> Iterator[datetime | None]:
    """Yield the end of the post's lifetime, once for each of its entries in the evidence."""
    for post in evidence["videos"]:
        if post["video_id"] == str(video_id):
            end = post["lifetime_ends_at"]
            yield datetime.fromisoformat(end) if end else None


def in_goal(goal: Row, version: Row, earning: Row, anomaly: Row, facts: Facts) -> bool:
    """Whether a goal counts readings of a post while its creator owned it (M11, M13, M14)."""
    video = facts.videos[anomaly["video_id"]]
    if not facts.counts(video, earning["accrual_id"]):
        return False
    zone = ZoneInfo(earning["timezone"])
    ends_at = datetime.combine(earning["period_end"] + ONE_DAY, time(), zone).astimezone(UTC)
    states = [
        row
        for row in facts.goal_states[earning["creator_id"]]
        if str(row["goal_id"]) == goal["goal_id"]
    ]
    first, following = earning["period_start"], earning["period_end"]
    ordered = sorted(states, key=lambda row: row["valid_from"])
    state = facts.goals.judging(ordered, Span(first, following, ends_at, ends_at))
    return any(
        account in facts.accounts
        and in_period(earning, begun, done)
        and all(in_scope(scope, facts.accounts[account]) for scope in (version, state))
        for account, begun, done in owned_by(earning["creator_id"], anomaly, facts)
    )


def in_scope(scope: Row, account: Row) -> bool:
    """Whether an account is in the scope of a rule or goal."""
    match scope["platform_scope"]:
        case "platform":
            return bool(scope["platform"] == account["platform"])
        case "account":
            return bool(scope["account_id"] == account["id"])
    return True
