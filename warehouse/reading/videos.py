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


TAKES_OFF = 3
"""A post takes off from this multiple of its creator's median, with at least LEAST_VIEWS."""
LEAST_VIEWS = 1_000
RISING_DAYS = 7
"""How many days, with today, a post that takes off may be old."""
MOST_RISING = 25
MOST_VIEWED = """
    select
        video_id,
        posted_at,
        view_count
    from marts.videos
    where
        organization_id = $organization_id
        and project_id = $project_id
        and is_counted
        and posted_at >= $since
        and view_count >= $least
    order by view_count desc, video_id
    limit 1000
"""


@dataclass(frozen=True, slots=True)
class RisingVideo:
    """A video that takes off."""

    video_id: UUID
    posted_at: datetime
    view_count: int
    times_median: float


def rising_videos(
    cursor: DuckDBPyConnection, organization_id: UUID, project_id: UUID, since: datetime
) -> list[RisingVideo]:
    """Return up to 25 videos posted since an instant that take off, the largest multiple first.

    Of more than 1,000 videos with enough views, those with the most are compared.
    """
    parameters = {
        "organization_id": organization_id,
        "project_id": project_id,
        "since": since,
        "least": LEAST_VIEWS,
    }
    rows = cursor.execute(MOST_VIEWED, parameters).fetchall()
    compared = comparisons(cursor, organization_id, [row[0] for row in rows])
    rising = [
        RisingVideo(video_id, posted_at, views, times)
        for video_id, posted_at, views in rows
        if (times := compared[video_id].times_median) is not None and times >= TAKES_OFF
    ]
    rising.sort(key=lambda video: (-video.times_median, video.video_id))
    return rising[:MOST_RISING]
