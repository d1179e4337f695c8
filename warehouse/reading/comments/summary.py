"""Summaries of comments: of a post, of a project's days, of creators."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.comments.counts import COUNTED, POSITIVE_SHARE, SUMS, CommentCounts
from warehouse.reading.comments.scope import CommentScope, Days
from warehouse.reading.statements import read_by_ids, statement

Bucket = Literal["day", "week", "month"]
CreatorSort = Literal[
    "comments_captured",
    "comments_per_1k_views",
    "positive_share",
    "app_question_count",
    "signup_intent_count",
    "flagged_count",
    "brand_mention_count",
    "competitor_count",
]
_COUNTS = ", ".join(f"{name}_count" for name in COUNTED)

OF_VIDEO = f"""
    select
        last_collected_at,
        {_COUNTS}
    from marts.video_comments
    where organization_id = $organization_id and video_id = $video_id
"""  # noqa: S608  ours
COLLECTED: Final = statement(__name__, "collected.sql")
TOTALS = """
    select
        cast(coalesce(sum(collected.comment_count), 0) as bigint) as collected_count,
        cast(sum(videos.comment_count) as bigint) as platform_count
    from marts.videos as videos
    left join marts.video_comments as collected using (video_id)
    where
        videos.is_counted
        and videos.video_id in (select video_id from marts.videos where {conditions})
"""
DAYS = """
    select *
    from marts.video_comment_daily
    where {conditions} and day between $first and $last
"""
IN_ALL = f"""
    select
        {SUMS}
    from ({{days}})
"""  # noqa: S608  ours
BY_BUCKET = f"""
    select
        cast(date_trunc($bucket, day) as date) as bucket_start,
        {SUMS}
    from ({{days}})
    group by bucket_start
    order by bucket_start
"""  # noqa: S608  ours
BY_CREATOR = f"""
    with

    days as ({{days}}),

    summed as (
        select
            creator_id,
            {SUMS}
        from days
        where creator_id is not null
        group by creator_id
    ),

    views as (
        select
            videos.creator_id,
            cast(sum(daily.new_views) as bigint) as views
        from marts.video_daily as daily
        inner join marts.videos as videos using (video_id)
        where
            daily.day between $first and $last
            and videos.is_counted
            and daily.video_id in (select video_id from marts.videos where {{conditions}})
        group by videos.creator_id
    ),

    rates as (
        select
            summed.*,
            comment_count as comments_captured,
            case when views.views > 0 then round(comment_count * 1000 / views.views, 4) end
                as comments_per_1k_views,
            {POSITIVE_SHARE} as positive_share
        from summed
        left join views using (creator_id)
    )

    select
        count(*) over () as creator_total,
        creator_id,
        comments_per_1k_views,
        positive_share,
        {_COUNTS}
    from rates
    order by {{sort}} desc nulls last, comment_count desc, creator_id
    limit $creator_limit
"""  # noqa: S608  ours
TOP_COMMENTS = """
    select
        creator_id,
        arg_max(
            comment_id,
            (coalesce(like_count, -1), commented_at, comment_id)
        ) as comment_id
    from marts.comments
    where
        {conditions}
        and is_counted
        and day between $first and $last
        and creator_id in (select cast(unnest(string_split($creators, ',')) as uuid))
    group by creator_id
"""


FIRST_READING = """
    select min(first_captured_at)
    from marts.videos
    where {conditions} and is_counted
"""


@dataclass(frozen=True, slots=True)
class VideoComments:
    """A post's comment counts, and when they were last collected."""

    last_collected_at: datetime | None
    counts: CommentCounts


@dataclass(frozen=True, slots=True)
class CreatorComments:
    """A creator's comment counts; shares from 0 to 1, None if too few."""

    creator_id: UUID
    comments_per_1k_views: float | None
    positive_share: float | None
    counts: CommentCounts


@dataclass(frozen=True, slots=True)
class CommentTotals:
    """Comments on all counted posts in scope: collected, and as shown by the platforms."""

    collected: int
    platform: int | None


def comments_of(
    cursor: DuckDBPyConnection, organization_id: UUID, video_id: UUID
) -> VideoComments | None:
    """Return a post's comment counts; None if comments were never requested."""
    row = cursor.execute(
        OF_VIDEO, {"organization_id": organization_id, "video_id": video_id}
    ).fetchone()
    return VideoComments(row[0], CommentCounts.of(row[1:])) if row else None


def collected_among(
    cursor: DuckDBPyConnection, organization_id: UUID, video_ids: Sequence[UUID]
) -> dict[UUID, datetime]:
    """Return when comments were last collected, by post, for those with any."""
    return read_by_ids(
        cursor, COLLECTED, lambda collected_at: collected_at, organization_id, video_ids
    )


def totals(cursor: DuckDBPyConnection, scope: CommentScope) -> CommentTotals:
    """Return the numbers of comments collected and shown, of all days."""
    statement = TOTALS.format(conditions=scope.conditions())
    [(collected, platform)] = cursor.execute(statement, scope.parameters()).fetchall()
    return CommentTotals(collected, platform)


def counts_of_days(cursor: DuckDBPyConnection, scope: CommentScope, days: Days) -> CommentCounts:
    [row] = cursor.execute(_of_days(IN_ALL, scope), _parameters(scope, days)).fetchall()
    return CommentCounts.of(row)


def counts_by_bucket(
    cursor: DuckDBPyConnection, scope: CommentScope, days: Days, bucket: Bucket
) -> Mapping[date, CommentCounts]:
    """Return counts by the first day of each bucket, without empty ones."""
    parameters = {**_parameters(scope, days), "bucket": bucket}
    rows = cursor.execute(_of_days(BY_BUCKET, scope), parameters).fetchall()
    return {start: CommentCounts.of(counts) for start, *counts in rows}


def creators_by(
    cursor: DuckDBPyConnection, scope: CommentScope, days: Days, sort: CreatorSort, limit: int
) -> tuple[list[CreatorComments], int]:
    """Return creators by highest value, unknown ones last, and their total number."""
    statement = _of_days(BY_CREATOR, scope, sort=sort)
    parameters = {**_parameters(scope, days), "creator_limit": limit}
    rows = cursor.execute(statement, parameters).fetchall()
    creators = [
        CreatorComments(creator_id, per_1k, share, CommentCounts.of(counts))
        for _, creator_id, per_1k, share, *counts in rows
    ]
    return creators, rows[0][0] if rows else 0


def top_comments(
    cursor: DuckDBPyConnection, scope: CommentScope, days: Days, creators: list[UUID]
) -> Mapping[UUID, UUID]:
    """Return each creator's comment with the most likes, the latest of equal ones."""
    statement = TOP_COMMENTS.format(conditions=scope.conditions())
    parameters = {**_parameters(scope, days), "creators": ",".join(map(str, creators))}
    return dict(cursor.execute(statement, parameters).fetchall()) if creators else {}


def tracked_since(cursor: DuckDBPyConnection, scope: CommentScope) -> datetime | None:
    """Return when the first of the posts in scope was first read, None before that."""
    statement = FIRST_READING.format(conditions=scope.conditions())
    row: tuple[datetime | None] | None = cursor.execute(statement, scope.parameters()).fetchone()
    return row[0] if row else None


def _of_days(statement: str, scope: CommentScope, **parts: str) -> str:
    conditions = scope.conditions()
    return statement.format(days=DAYS.format(conditions=conditions), conditions=conditions, **parts)


def _parameters(scope: CommentScope, days: Days) -> dict[str, object]:
    return {**scope.parameters(), "first": days.first, "last": days.last}
