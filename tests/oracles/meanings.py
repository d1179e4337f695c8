"""Views of two meanings on one scale (counting.md, Views of two meanings), reading by reading.

A change is between two readings of one meaning, and no two changes overlap in time. A reading
without such a change continues from the previous count.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

Row = Mapping[str, Any]

ORGANIC = {"instagram.login_media"}


@dataclass(frozen=True)
class Scaled:
    count: int
    delta: int
    is_exact: bool
    is_baseline: bool
    meaning: str
    read: int


def on_one_scale(
    readings: Iterable[Row], least: Callable[[int], int]
) -> dict[datetime, Scaled] | None:
    """Return one post's views at each instant, or None if no reading is organic.

    `least` returns the smallest count that a rounded count can stand for.
    """
    rows_at: dict[datetime, list[Row]] = {}
    for row in readings:
        if row.get("view_count") is not None:
            rows_at.setdefault(row["captured_at"], []).append(row)
    if not any(is_organic(row) for rows in rows_at.values() for row in rows):
        return None
    scaled: dict[datetime, Scaled] = {}
    read_at: dict[str, datetime] = {}
    read: dict[str, int] = {}
    last_exact: dict[str, int] = {}
    counted_until = min(rows_at)
    level = 0
    for at in sorted(rows_at):
        paid_too = [row for row in rows_at[at] if not is_organic(row)]
        meaning = "organic_and_paid" if paid_too else "organic"
        rows = paid_too or rows_at[at]
        exact = [row["view_count"] for row in rows if row["is_exact"]]
        if exact:
            now = last_exact[meaning] = max(exact)
        else:
            now = max(least(row["view_count"]) for row in rows)
            now = max(now, last_exact.get(meaning, now))
        is_baseline = read_at[meaning] < counted_until if meaning in read_at else bool(scaled)
        change = 0 if is_baseline else now - read.get(meaning, 0)
        if not is_baseline:
            counted_until = at
        level += change
        scaled[at] = Scaled(level, change, bool(exact), is_baseline, meaning, now)
        read_at[meaning], read[meaning] = at, now
    return scaled


def is_organic(reading: Row) -> bool:
    return reading.get("source") in ORGANIC
