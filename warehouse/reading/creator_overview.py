"""A creator's totals, views by day, and top posts.

All over the posts that count now (counting.md). None is unknown, never 0.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.before_tracking import BeforeTrackingQuery, views_before_tracking
from warehouse.reading.statements import statement
from warehouse.reading.view_days import days_with_views

TOTALS: Final = statement(__name__, "creator_overview_totals.sql")

DAYS: Final = statement(__name__, "creator_overview_days.sql")

TOP_VIDEOS: Final = statement(__name__, "creator_overview_top_videos.sql")


@dataclass(frozen=True, slots=True)
class CreatorTotals:
    """Last known counts, and when any was last read (UTC)."""

    followers: int | None
    views: int | None
    likes: int | None
    comments: int | None
    shares: int | None
    videos: int
    last_read_at: datetime | None


@dataclass(frozen=True, slots=True)
class DayOfViews:
    """A day of the organization's zone (as published) and the views gained on it.

    `had_before` are views of older posts when their views were first known, on that day; when they
    were gained is unknown. Series count both on the day (counting.md).
    """

    day: date
    gained: int | None
    had_before: int


@dataclass(frozen=True, slots=True)
class TopVideo:
    """A counted post with its last known counts.

    `views_as_of` is when views were read, if later readings showed only other counters.
    """

    video_id: UUID
    view_count: int
    like_count: int | None
    comment_count: int | None
    views_as_of: datetime | None


def creator_totals(
    cursor: DuckDBPyConnection, organization_id: UUID, creator_id: UUID
) -> CreatorTotals | None:
    """Return a creator's totals; None before the first post or reading."""
    parameters = {"organization_id": organization_id, "creator_id": creator_id}
    row = cursor.execute(TOTALS, parameters).fetchone()
    return CreatorTotals(*row) if row else None


def views_by_day(
    cursor: DuckDBPyConnection,
    organization_id: UUID,
    creator_id: UUID,
    *,
    from_day: date,
    to_day: date,
    zone: str,
) -> list[DayOfViews]:
    """Return every day of the zone in the range, both inclusive.

    Gains before views were known, and of days without a reading, are unknown.
    """
    days = {"from_day": from_day, "to_day": to_day}
    parameters = {"organization_id": organization_id, "creator_id": creator_id, **days}
    query = BeforeTrackingQuery(organization_id, "creator", creator_id, from_day, to_day, zone)
    before = views_before_tracking(cursor, query)
    read = days_with_views(cursor, query)
    rows = cursor.execute(DAYS, parameters).fetchall()
    return [
        _day(day, views if views or day in read else None, before.get(day, 0))
        for day, views in rows
    ]


def _day(day: date, views: int | None, before: int) -> DayOfViews:
    return DayOfViews(day, None, 0) if views is None else DayOfViews(day, views - before, before)


def top_videos(
    cursor: DuckDBPyConnection, organization_id: UUID, creator_id: UUID, number: int
) -> list[TopVideo]:
    """Return the creator's counted posts with the most views, at most `number`."""
    parameters = {"organization_id": organization_id, "creator_id": creator_id, "number": number}
    return [TopVideo(*row) for row in cursor.execute(TOP_VIDEOS, parameters).fetchall()]
