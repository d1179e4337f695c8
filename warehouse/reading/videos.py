"""The latest counters of videos, and how they compare, from marts.videos."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from warehouse.reading.statements import over, read_by_ids

if TYPE_CHECKING:  # commands read queries without loading DuckDB
    from duckdb import DuckDBPyConnection


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
    cursor: "DuckDBPyConnection", organization_id: UUID, video_ids: Sequence[UUID]
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


TIMES_MEDIAN = """
    with

    others as (
        select
            creator_id,
            video_id,
            view_count
        from marts.videos
        where
            organization_id in (select organization_id from listed)
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
COMPARISONS = over(
    TIMES_MEDIAN,
    listed="""
        select *
        from marts.videos
        where
            organization_id = $organization_id
            and video_id in (select cast(unnest(string_split($ids, ',')) as uuid))
    """,
)


def comparisons(
    cursor: "DuckDBPyConnection", organization_id: UUID, video_ids: Sequence[UUID]
) -> dict[UUID, Comparison]:
    """Return the comparisons of the organization's videos among `video_ids`."""
    return read_by_ids(cursor, COMPARISONS, Comparison, organization_id, video_ids)


TAKES_OFF = 3
"""A post outperforms from this multiple of its creator's median, with at least LEAST_VIEWS."""
LEAST_VIEWS = 1_000
RISING_DAYS = 7
"""How many days, with today, a post that outperforms may be old."""
MOST_RISING = 25
RISING = over(
    f"""
        select
            listed.*,
            compared.times_median
        from listed
        inner join compared using (video_id)
        where compared.times_median >= {TAKES_OFF}
    """,  # noqa: S608  our own number
    since=f"""
        select
            organizations.organization_id,
            organizations.analytics_tz,
            cast(timezone(organizations.analytics_tz, publication.as_of) as date)
            - {RISING_DAYS - 1} as first_day
        from marts.organizations as organizations
        cross join marts.publication as publication
    """,  # noqa: S608  our own number
    listed=f"""
        select videos.*
        from marts.videos as videos
        inner join since using (organization_id)
        semi join scope using (organization_id, project_id)
        where
            videos.is_counted
            and videos.view_count >= {LEAST_VIEWS}
            and cast(timezone(since.analytics_tz, videos.posted_at) as date) >= since.first_day
    """,  # noqa: S608  our own number
    compared=TIMES_MEDIAN,
)
"""Videos of `scope`, a CTE of projects, that outperform as of the publication."""


@dataclass(frozen=True, slots=True)
class RisingVideo:
    """A video that outperforms its creator's others."""

    video_id: UUID
    posted_at: datetime
    view_count: int
    times_median: float


def rising_videos(cursor: "DuckDBPyConnection", question: tuple[UUID, UUID]) -> list[RisingVideo]:
    """Return up to 25 videos that outperform, the largest multiple first.

    `question` has the organization's id and the project's.
    """
    ranked = f"""
        select video_id, posted_at, view_count, times_median
        from ({RISING})
        order by times_median desc, video_id
        limit {MOST_RISING}
    """  # noqa: S608  our own query
    scope = "select $organization_id::uuid as organization_id, $project_id::uuid as project_id"
    parameters = dict(zip(("organization_id", "project_id"), question, strict=True))
    rows = cursor.execute(over(ranked, scope=scope), parameters).fetchall()
    return [RisingVideo(*row) for row in rows]
