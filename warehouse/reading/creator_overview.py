"""What a creator has reached so far, day by day, and which posts did most of it.

All of it is over the posts that count now (counting.md). None is unknown, never zero.
"""

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from duckdb import DuckDBPyConnection

TOTALS = """
with

latest as (
    select
        followers,
        cumulative_views,
        cumulative_likes,
        cumulative_comments,
        cumulative_shares,
        cumulative_videos
    from marts.creator_daily
    where organization_id = $organization_id and creator_id = $creator_id
    order by day desc
    limit 1
),

readings as (
    select last_captured_at
    from marts.videos
    where organization_id = $organization_id and creator_id = $creator_id and is_counted
    union all
    select last_captured_at
    from marts.accounts
    where organization_id = $organization_id and creator_id = $creator_id and is_active
)

select
    latest.*,
    (select max(last_captured_at) from readings) as last_read_at
from latest
"""

DAYS = """
with

days as (
    select cast(unnest(generate_series($from_day, $to_day, interval 1 day)) as date) as day
),

daily as (
    select
        day,
        new_views
    from marts.creator_daily
    where
        organization_id = $organization_id
        and creator_id = $creator_id
        and new_views is not null
),

posts as (
    select
        video_id,
        coalesce(account_id, video_id) as tracked_id,
        posted_at,
        first_captured_at as captured_at
    from marts.videos
    where
        organization_id = $organization_id
        and creator_id = $creator_id
        and is_counted
),

tracked as (
    select
        tracked_id,
        min(captured_at) as since
    from (
        select
            tracked_id,
            captured_at
        from posts
        union all
        select
            account_id,
            first_captured_at
        from marts.accounts
        where organization_id = $organization_id and creator_id = $creator_id
    )
    group by tracked_id
),

older_posts as (
    select
        posts.video_id,
        posts.captured_at,
        cast(timezone($zone, posts.captured_at) as date) as day
    from posts
    inner join tracked using (tracked_id)
    where coalesce(posts.posted_at, posts.captured_at) <= tracked.since
),

before as (
    select
        older_posts.day,
        sum(video_deltas.view_delta) as views
    from older_posts
    inner join marts.video_deltas using (video_id, captured_at)
    where
        older_posts.day between $from_day and $to_day
        and video_deltas.captured_at >= timezone($zone, cast($from_day as timestamp))
        and video_deltas.captured_at < timezone($zone, cast($to_day + 1 as timestamp))
    group by older_posts.day
),

known as (
    select
        days.day,
        -- a day without a row changed nothing, once views are known
        if(days.day >= (select min(day) from daily), coalesce(daily.new_views, 0), null) as views,
        coalesce(before.views, 0) as views_before
    from days
    left join daily using (day)
    left join before using (day)
)

select
    day,
    cast(views - views_before as bigint) as gained,
    cast(if(views is null, 0, views_before) as bigint) as had_before
from known
order by day
"""

TOP_VIDEOS = """
    select
        video_id,
        view_count,
        like_count,
        comment_count,
        if(view_captured_at < last_captured_at, view_captured_at, null) as views_as_of
    from marts.videos
    where
        organization_id = $organization_id
        and creator_id = $creator_id
        and is_counted
        and view_count is not null
    order by view_count desc, video_id
    limit $number
"""


@dataclass(frozen=True, slots=True)
class CreatorTotals:
    """Counts as last known, and when any of them was last read (UTC)."""

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

    `had_before` are what posts from before tracking had when they were first read on that day:
    nobody knows when those were gained. Series count both on the day (counting.md).
    """

    day: date
    gained: int | None
    had_before: int


@dataclass(frozen=True, slots=True)
class TopVideo:
    """A counted post and its counts as last known.

    `views_as_of` is when the views were read, where later readings showed other counters alone.
    """

    video_id: UUID
    view_count: int
    like_count: int | None
    comment_count: int | None
    views_as_of: datetime | None


def creator_totals(
    cursor: DuckDBPyConnection, organization_id: UUID, creator_id: UUID
) -> CreatorTotals | None:
    """Return a creator's totals; None before its first post or reading."""
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
    """Return every day of the zone from the first to the last, both inclusive.

    Nothing is known of what was gained before views were known.
    """
    parameters = {
        "organization_id": organization_id,
        "creator_id": creator_id,
        "from_day": from_day,
        "to_day": to_day,
        "zone": zone,
    }
    return [DayOfViews(*row) for row in cursor.execute(DAYS, parameters).fetchall()]


def top_videos(
    cursor: DuckDBPyConnection, organization_id: UUID, creator_id: UUID, number: int
) -> list[TopVideo]:
    """Return the creator's counted posts with the most views, at most `number`, the first first."""
    parameters = {
        "organization_id": organization_id,
        "creator_id": creator_id,
        "number": number,
    }
    return [TopVideo(*row) for row in cursor.execute(TOP_VIDEOS, parameters).fetchall()]
