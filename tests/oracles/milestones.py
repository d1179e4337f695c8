"""Milestones of creators, computed from their days in order."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

Row = Mapping[str, Any]

THRESHOLDS = [first * 10**power for power in range(3, 19) for first in (1, 5)]
TOTALS = {"views": "cumulative_views", "followers": "followers"}


def milestones(creator_daily: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the rows of marts.creator_milestones, in any order."""
    by_creator: dict[Any, list[Row]] = defaultdict(list)
    for row in creator_daily:
        by_creator[row["creator_id"]].append(row)
    return [
        milestone
        for rows in by_creator.values()
        for counted in TOTALS
        for milestone in _of_creator(sorted(rows, key=lambda row: row["day"]), counted)
    ]


def _of_creator(rows: Iterable[Row], counted: str) -> list[dict[str, Any]]:
    reached: int | None = None
    milestones = []
    for row in rows:
        total = row[TOTALS[counted]]
        if total is None:
            continue
        highest = max((threshold for threshold in THRESHOLDS if threshold <= total), default=0)
        if reached is not None and highest > reached:
            same = {name: row[name] for name in ("organization_id", "project_id", "creator_id")}
            milestones.append({**same, "counted": counted, "threshold": highest, "day": row["day"]})
        reached = max(highest, reached or 0)
    return milestones
