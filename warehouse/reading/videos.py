"""The latest counters of videos, from marts.videos."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.statements import read_by_ids


@dataclass(frozen=True, slots=True)
class VideoCounts:
    """The last known value of each counter and when it was read (UTC); None if never known.

    A counter that the last readings did not show has an earlier instant.
    """

    view_count: int | None
    like_count: int | None
    comment_count: int | None
    share_count: int | None
    save_count: int | None
    first_captured_at: datetime | None
    last_captured_at: datetime | None
    view_captured_at: datetime | None
    like_captured_at: datetime | None
    comment_captured_at: datetime | None
    share_captured_at: datetime | None
    save_captured_at: datetime | None


LATEST = f"""
    select video_id, {", ".join(field.name for field in fields(VideoCounts))}
    from marts.videos
    where
        organization_id = $organization_id
        and video_id in (select cast(unnest(string_split($ids, ',')) as uuid))
"""  # noqa: S608  names of our own fields


def latest_counts(
    cursor: DuckDBPyConnection, organization_id: UUID, video_ids: Sequence[UUID]
) -> dict[UUID, VideoCounts]:
    """Return counts of the organization's videos among `video_ids`."""
    return read_by_ids(cursor, LATEST, VideoCounts, organization_id, video_ids)
