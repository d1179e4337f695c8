"""The latest counters of videos, and how they compare, from marts.videos."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
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


def _rising(first_day: str, last_day: str) -> str:
    return over(
        f"""
            select
                listed.*,
                compared.times_median
            from listed
            inner join compared using (video_id)
            where compared.times_median >= {TAKES_OFF}
        """,  # noqa: S608  our own number
        posted_on=f"""
            select
                organizations.organization_id,
                organizations.analytics_tz,
                {first_day} as first_day,
                {last_day} as last_day
            from marts.organizations as organizations
            cross join marts.publication as publication
        """,  # noqa: S608  our own expressions
        listed=f"""
            select videos.*
            from marts.videos as videos
            inner join posted_on using (organization_id)
            semi join scope using (organization_id, project_id)
            where
                videos.is_counted
                and videos.view_count >= {LEAST_VIEWS}
                and cast(timezone(posted_on.analytics_tz, videos.posted_at) as date)
                between posted_on.first_day and posted_on.last_day
        """,  # noqa: S608  our own number
        compared=TIMES_MEDIAN,
    )


RISING = _rising(
    f"cast(timezone(organizations.analytics_tz, publication.as_of) as date) - {RISING_DAYS - 1}",
    "date 'infinity'",
)
"""Videos of `scope`, a CTE of projects, that outperform as of the publication."""
RISING_BETWEEN = _rising("cast($from_day as date)", "cast($to_day as date)")
"""The same of videos that were posted on these days."""


RisingQuestion = tuple[UUID, UUID] | tuple[UUID, UUID, date, date]


@dataclass(frozen=True, slots=True)
class RisingVideo:
    """A video that outperforms its creator's others."""

    video_id: UUID
    posted_at: datetime
    view_count: int
    times_median: float


def rising_videos(cursor: "DuckDBPyConnection", question: RisingQuestion) -> list[RisingVideo]:
    """Return up to 25 videos that outperform, the largest multiple first.

    `question` has the ids of organization and project, and may have the first and last day of
    posting, by default the latest days.
    """
    ranked = f"""
        select video_id, posted_at, view_count, times_median
        from ({RISING_BETWEEN if question[2:] else RISING})
        order by times_median desc, video_id
        limit {MOST_RISING}
    """  # noqa: S608  our own query
    scope = "select $organization_id::uuid as organization_id, $project_id::uuid as project_id"
    names = ("organization_id", "project_id", "from_day", "to_day")
    parameters = dict(zip(names, question, strict=False))
    rows = cursor.execute(over(ranked, scope=scope), parameters).fetchall()
    return [RisingVideo(*row) for row in rows]
