"""The latest counters of videos, and how they compare, from marts.videos."""

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


@dataclass(frozen=True, slots=True)
class Comparison:
    """A video's views as a multiple of its creator's others, and its engagement in percent.

    `times_median` compares with the median of the creator's other counted videos among the latest
    50; None with fewer than three of known views, or a median of 0.
    """

    times_median: float | None
    engagement_rate: float | None


COMPARISONS = """
    with

    listed as (
        select *
        from marts.videos
        where
            organization_id = $organization_id
            and video_id in (select cast(unnest(string_split($ids, ',')) as uuid))
    ),

    others as (
        select
            creator_id,
            video_id,
            view_count
        from marts.videos
        where
            organization_id = $organization_id
            and creator_id in (select creator_id from listed)
            and is_counted
        qualify
            row_number() over (
                partition by project_id, creator_id order by posted_at desc nulls last, video_id
            ) <= 50
    )

    select
        listed.video_id,
        any_value(listed.view_count) / nullif(
            if(count(others.view_count) >= 3, median(others.view_count), null), 0
        ) as times_median,
        any_value(
            rules.engagement_rate(
                rules.engagement(
                    listed.like_count, listed.comment_count, listed.share_count, listed.save_count
                ),
                listed.view_count
            )
        ) as engagement_rate
    from listed
    left join others
        on listed.creator_id = others.creator_id and listed.video_id <> others.video_id
    group by listed.video_id
"""


def comparisons(
    cursor: DuckDBPyConnection, organization_id: UUID, video_ids: Sequence[UUID]
) -> dict[UUID, Comparison]:
    """Return the comparisons of the organization's videos among `video_ids`."""
    return read_by_ids(cursor, COMPARISONS, Comparison, organization_id, video_ids)
