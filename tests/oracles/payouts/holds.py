"""Which odd readings amounts wait for, one amount and one reading at a time."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

Row = Mapping[str, Any]
COUNTED = ("first_counted_at", "captured_at")
SEEN = {"views", "engagement"}
"""Metrics of goals that readings of posts tell."""


def holds(
    versions: Iterable[Row], earnings: Iterable[Row], anomalies: Iterable[Row]
) -> set[tuple[UUID, UUID]]:
    """Return accruals and the anomalies behind them, of versions that say so."""
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
        if is_behind(holding[earning["version_id"]], source, anomaly)
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


def is_behind(version: Row, earning: Row, anomaly: Row) -> bool:
    """Whether an amount follows from a reading."""
    evidence, at = json.loads(earning["evidence"]), anomaly["first_counted_at"]
    zone = ZoneInfo(earning["timezone"])
    first, last = (anomaly[name].astimezone(zone).date() for name in COUNTED)
    is_in_period = earning["period_start"] <= last and first <= earning["period_end"]
    match earning["criteria_type"]:
        case "cpm":
            ends = lifetimes(evidence, anomaly["video_id"])
            return is_in_period and any(end is None or at <= end for end in ends)
        case "goals":
            is_seen = any(goal["metric"] in SEEN for goal in evidence["goals"])
            return (
                is_in_period
                and is_seen
                and anomaly["creator_id"] == earning["creator_id"]
                and in_scope(version, anomaly)
            )
        case "view_threshold":
            return anomaly["video_id"] == earning["subject_id"] and first <= earning["period_end"]
    return False


def lifetimes(evidence: Row, video_id: UUID) -> Iterator[datetime | None]:
    """Yield until when the post's readings count, once for each time that evidence lists it."""
    for post in evidence["videos"]:
        if post["video_id"] == str(video_id):
            end = post["lifetime_ends_at"]
            yield datetime.fromisoformat(end) if end else None


def in_scope(version: Row, anomaly: Row) -> bool:
    """Whether the version's scope has the post that was read."""
    match version["platform_scope"]:
        case "platform":
            return bool(version["platform"] == anomaly["platform"])
        case "account":
            return bool(version["account_id"] == anomaly["account_id"])
    return True
