"""Alerts: view drops, accounts that post too much, and missing posts."""

from dataclasses import dataclass, replace
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.program_health.scope import HealthScope
from warehouse.reading.series.beginnings import day_in

DROPS = """
with

days as (
    select
        daily.video_id,
        posts.creator_id,
        daily.day,
        daily.new_views
        - if(daily.day = posts.views_known_on, coalesce(posts.view_before_tracking, 0), 0) as views
    from marts.video_daily as daily
    inner join posts using (video_id)
    where daily.day > $today - 6 and daily.day <= $today
),

gained as (
    select
        video_id,
        creator_id,
        sum(views) filter (where day > $today - 3) as recent_views,
        sum(views) filter (where day <= $today - 3) as earlier_views
    from days
    group by video_id, creator_id
)

select * from gained
where earlier_views >= 1000 and 10 * recent_views < 3 * earlier_views
order by earlier_views - recent_views desc, video_id
limit 25
"""
"""A video without a reading in the last three days has unknown recent views, not 0. Views of an
older post when they were first known were gained before tracking.
"""

OVER_POSTING = """
with

by_day as (
    select
        posts.account_id,
        posts.appeared_on as day,
        count(*) as posts
    from posts
    inner join marts.accounts as accounts using (account_id)
    where accounts.is_active and not accounts.is_deactivated
    group by posts.account_id, posts.appeared_on
),

busy as (
    select
        account_id,
        greatest(min(day), $prior_from) as from_day,
        sum(posts) filter (where day > $today - 3) as recent_posts
    from by_day
    group by account_id
    having recent_posts >= 6
),

calendar as (
    select
        account_id,
        recent_posts,
        unnest(generate_series(from_day, $today - 3, interval 1 day)) as day
    from busy
),

usual as (
    select
        calendar.account_id,
        calendar.recent_posts,
        median(coalesce(by_day.posts, 0)) as posts_a_day
    from calendar
    left join by_day
        on calendar.account_id = by_day.account_id and cast(calendar.day as date) = by_day.day
    group by calendar.account_id, calendar.recent_posts
)

select
    usual.account_id,
    accounts.creator_id,
    accounts.platform,
    accounts.handle,
    usual.recent_posts,
    usual.posts_a_day
from usual
inner join marts.accounts as accounts using (account_id)
where usual.recent_posts > 2 * 3 * usual.posts_a_day
order by usual.recent_posts desc, usual.account_id
limit 25
"""

MISSING = """
with

accounts as (
    select account_id
    from marts.accounts
    where
        organization_id = $organization_id
        and project_id = $project_id
        and is_active
        and not is_deactivated
        {campaign}
),

counts as (
    select
        account_id,
        captured_at,
        video_count
    from marts.account_snapshots
    where
        account_id in (select account_id from accounts)
        and captured_at >= $start - interval 7 days
        and video_count is not null
),

spans as (
    select
        account_id,
        coalesce(
            max(captured_at) filter (where captured_at < $start), min(captured_at)
        ) as first_at,
        max(captured_at) as last_at
    from counts
    group by account_id
),

gained as (
    select
        spans.*,
        ends.video_count - begins.video_count as posts
    from spans
    inner join counts as begins
        on spans.account_id = begins.account_id and spans.first_at = begins.captured_at
    inner join counts as ends
        on spans.account_id = ends.account_id and spans.last_at = ends.captured_at
),

recorded as (
    select
        gained.account_id,
        count(*) as posts
    from gained
    inner join marts.videos as videos using (account_id)
    where
        coalesce(videos.posted_at, videos.first_captured_at) > gained.first_at
        and coalesce(videos.posted_at, videos.first_captured_at) <= gained.last_at
    group by gained.account_id
)

select
    gained.account_id,
    gained.posts - coalesce(recorded.posts, 0) as missing
from gained
left join recorded using (account_id)
where missing > 0
order by missing desc, gained.account_id
"""

OF_CAMPAIGN = """
        and account_id in (
            select account_id
            from marts.campaign_accounts
            where campaign_id = $campaign_id
        )
"""


@dataclass(frozen=True, slots=True)
class ViewDrop:
    """A video that gained in three days under 30% of the three days before."""

    video_id: UUID
    creator_id: UUID | None
    recent_views: int
    earlier_views: int


@dataclass(frozen=True, slots=True)
class OverPosting:
    """An account with more than twice its usual daily posts over the last three days.

    `posts_a_day` is the median of earlier days, from the prior window's first day or the account's
    first post on.
    """

    account_id: UUID
    creator_id: UUID
    platform: str
    handle: str
    recent_posts: int
    posts_a_day: float


@dataclass(frozen=True, slots=True)
class MissingPosts:
    """Posts that the platform counted since the window began but that are not recorded."""

    account_id: UUID
    missing: int


def view_drops(cursor: DuckDBPyConnection, scope: HealthScope) -> list[ViewDrop]:
    """Return up to 25 videos with a drop from at least 1,000 views, the largest first.

    Uses the last days with data, because later gains are unknown.
    """
    [(as_of,)] = cursor.execute("select as_of from marts.publication").fetchall()
    known = replace(scope, today=min(scope.today, day_in(scope.zone, as_of)))
    return [ViewDrop(*row) for row in known.read(cursor, DROPS)]


def over_posting(cursor: DuckDBPyConnection, scope: HealthScope) -> list[OverPosting]:
    """Return up to 25 accounts with at least six posts in three days, the most first."""
    return [OverPosting(*row) for row in scope.read(cursor, OVER_POSTING)]


def missing_posts(cursor: DuckDBPyConnection, scope: HealthScope) -> list[MissingPosts]:
    """Return active accounts with missing posts, the most first."""
    statement = MISSING.format(campaign=OF_CAMPAIGN if scope.campaign_id else "")
    return [MissingPosts(*row) for row in scope.read(cursor, statement)]
