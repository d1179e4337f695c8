"""The readings behind counts in evidence: when and from where each was read (money.md M7).

Includes changes of the meaning of views between two readings (counting.md). A high-water mark is
the largest count before an instant, so its reading is the first with that count. It is looked up
when evidence is read, and stored when evidence is frozen; the models have only counts, over the
whole history of every post.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.statements import over, statement

Evidence = dict[str, Any]
CountOfPost = tuple[str, str, int]
"""(post, counter, count)."""
Reading = dict[str, Any]
Baseline = dict[str, str]
LISTS: Final = {"cpm": "videos", "goals": "counts"}
"""Lists in evidence whose items rise from one count to another."""

_COUNTS: Final = statement(__name__, "counts.sql")
BETWEEN, READINGS, BASELINES = (
    over(statement(__name__, name), counts=_COUNTS)
    for name in ("counts_between.sql", "readings_behind.sql", "baselines_between.sql")
)


def with_readings(
    cursor: DuckDBPyConnection, organization_id: UUID, evidences: Mapping[UUID, Evidence]
) -> Mapping[UUID, Evidence]:
    """Return evidence with the readings behind its counts of posts.

    For cpm and goals, `from_reading` and `to_reading` of each post; null if it starts unread, at
    0. For a view threshold, `reading`. For followers the models have the days. If the meaning of
    views changed between a post's readings, or before a threshold's, `view_baselines` has the
    instants and meanings.
    """
    counts = {count for evidence in evidences.values() for count in _counts_in(evidence)}
    readings = _readings(cursor, organization_id, counts) if counts else {}
    baselines = _baselines(cursor, organization_id, counts) if counts else {}
    return {
        accrual_id: _with_readings(evidence, readings, baselines)
        for accrual_id, evidence in evidences.items()
    }


def _counts_in(evidence: Evidence) -> Iterator[CountOfPost]:
    if evidence["type"] == "view_threshold":
        yield evidence["video_id"], "views", evidence["views_read"]
    for item in evidence.get(LISTS.get(evidence["type"], ""), ()):
        yield from _ends(item)


def _ends(item: Mapping[str, Any]) -> Sequence[CountOfPost]:
    """Return both counts of a post's rise, or none for followers and new posts."""
    if "views_from" in item:
        return [(item["video_id"], "views", item[end]) for end in ("views_from", "views_to")]
    if not item["video_id"] or item["to"] is None:
        return []
    return [(item["video_id"], item["counter"], item[end]) for end in ("from", "to")]


def _readings(
    cursor: DuckDBPyConnection, organization_id: UUID, counts: set[CountOfPost]
) -> Mapping[CountOfPost, Reading]:
    names = ("video_id", "counter", "target_count")
    rows = [dict(zip(names, counted, strict=True)) for counted in sorted(counts)]
    parameters: dict[str, Any] = {"organization_id": organization_id, "counts": json.dumps(rows)}
    [(from_at, to_at)] = cursor.execute(BETWEEN, parameters).fetchall()
    if from_at is None:
        return {}
    parameters |= {"from_at": from_at, "to_at": to_at}
    return {
        (video_id, counter, count): {"captured_at": at, "source": source, "is_exact": is_exact}
        for video_id, counter, count, at, source, is_exact in cursor.execute(
            READINGS, parameters
        ).fetchall()
    }


def _baselines(
    cursor: DuckDBPyConnection, organization_id: UUID, counts: set[CountOfPost]
) -> Mapping[str, list[Baseline]]:
    """Return by post the readings from which views have another meaning."""
    posts = {video_id for video_id, counter, _ in counts if counter == "views"}
    rows = [{"video_id": post, "counter": "views", "target_count": 0} for post in sorted(posts)]
    parameters = {"organization_id": organization_id, "counts": json.dumps(rows)}
    baselines: dict[str, list[Baseline]] = {}
    for video_id, at, meaning in cursor.execute(BASELINES, parameters).fetchall():
        baselines.setdefault(video_id, []).append({"captured_at": at, "meaning": meaning})
    return baselines


def _with_readings(
    evidence: Evidence,
    readings: Mapping[CountOfPost, Reading],
    baselines: Mapping[str, Sequence[Baseline]],
) -> Evidence:
    if evidence["type"] == "view_threshold":
        [count] = _counts_in(evidence)
        of_post = baselines.get(evidence["video_id"], ())
        reading = readings.get(count)
        return {**evidence, "reading": reading, **_between(of_post, None, reading)}
    listed = LISTS.get(evidence["type"])
    if listed not in evidence:
        return evidence
    return {
        **evidence,
        listed: [_with_ends(item, readings, baselines) for item in evidence[listed]],
    }


def _with_ends(
    item: Mapping[str, Any],
    readings: Mapping[CountOfPost, Reading],
    baselines: Mapping[str, Sequence[Baseline]],
) -> Mapping[str, Any]:
    ends = _ends(item)
    begin, end = [readings.get(end_count) for end_count in ends] or [None, None]
    counts_views = any(counter == "views" for _, counter, _ in ends)
    of_post = baselines.get(item["video_id"], ()) if counts_views else ()
    return {**item, "from_reading": begin, "to_reading": end, **_between(of_post, begin, end)}


def _between(
    of_post: Sequence[Baseline], begin: Reading | None, end: Reading | None
) -> Mapping[str, Any]:
    """Return the baselines after the first reading up to the last; empty without any."""
    if end is None:
        return {}
    since = begin["captured_at"] if begin else ""
    between = [
        baseline for baseline in of_post if since < baseline["captured_at"] <= end["captured_at"]
    ]
    return {"view_baselines": between} if between else {}
