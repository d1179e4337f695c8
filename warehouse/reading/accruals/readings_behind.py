"""From which readings the counts in evidence are: when and from where each was read (money.md M7).

A mark is the largest count read before an instant, so the reading behind it is the first that
showed that count. It is looked up where evidence is read, and kept where it is frozen: the models
carry counts alone, through the whole history of every post.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.statements import over, statement

Evidence = dict[str, Any]
Shown = tuple[str, int]
"""A post and a count of its views."""
Reading = dict[str, Any]

_SHOWN: Final = statement(__name__, "shown.sql")
BETWEEN, READINGS = (
    over(statement(__name__, name), shown=_SHOWN)
    for name in ("shown_between.sql", "readings_behind.sql")
)


def with_readings(
    cursor: DuckDBPyConnection, organization_id: UUID, evidences: Mapping[UUID, Evidence]
) -> Mapping[UUID, Evidence]:
    """Return evidence with the readings behind its counts of views.

    Of cpm, `from_reading` and `to_reading` of each post: null where it begins unread, at 0. Of a
    view threshold, `reading`.
    """
    shown = {one for evidence in evidences.values() for one in _shown(evidence)}
    found = _readings(cursor, organization_id, shown) if shown else {}
    return {one: _told(evidence, found) for one, evidence in evidences.items()}


def _shown(evidence: Evidence) -> Iterator[Shown]:
    """Yield the counts of views that somebody read."""
    match evidence["type"]:
        case "cpm":
            for video in evidence["videos"]:
                yield video["video_id"], video["views_from"]
                yield video["video_id"], video["views_to"]
        case "view_threshold":
            yield evidence["video_id"], evidence["views_read"]


def _readings(
    cursor: DuckDBPyConnection, organization_id: UUID, shown: set[Shown]
) -> Mapping[Shown, Reading]:
    rows = [{"video_id": video_id, "view_count": count} for video_id, count in sorted(shown)]
    parameters: dict[str, Any] = {"organization_id": organization_id, "shown": json.dumps(rows)}
    [(from_at, to_at)] = cursor.execute(BETWEEN, parameters).fetchall()
    if from_at is None:
        return {}
    parameters |= {"from_at": from_at, "to_at": to_at}
    return {
        (video_id, count): {"captured_at": at, "source": source, "is_exact": is_exact}
        for video_id, count, at, source, is_exact in cursor.execute(READINGS, parameters).fetchall()
    }


def _told(evidence: Evidence, found: Mapping[Shown, Reading]) -> Evidence:
    match evidence["type"]:
        case "cpm":
            videos = [_ends(video, found) for video in evidence["videos"]]
            return {**evidence, "videos": videos}
        case "view_threshold":
            [shown] = _shown(evidence)
            return {**evidence, "reading": found.get(shown)}
        case _:
            return evidence


def _ends(video: Mapping[str, Any], found: Mapping[Shown, Reading]) -> Mapping[str, Any]:
    return {
        **video,
        "from_reading": found.get((video["video_id"], video["views_from"])),
        "to_reading": found.get((video["video_id"], video["views_to"])),
    }
