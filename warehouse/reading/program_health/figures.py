"""Sums over the posts of the window and of the prior one, each as of its own end.

So that posts of the prior window, which had more time since, are compared as they stood then.
"""

from dataclasses import dataclass
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.program_health.scope import HealthScope

COUNTED = """
windowed as (
    select
        *,
        appeared_on >= $from_day as is_current
    from posts
    where appeared_on >= $prior_from
),

prior_counts as (
    select
        video_id,
        arg_max(cumulative_views, day) as views,
        arg_max(cumulative_likes, day) as likes,
        arg_max(cumulative_comments, day) as comments,
        arg_max(cumulative_shares, day) as shares,
        arg_max(cumulative_saves, day) as saves
    from marts.video_daily
    where
        video_id in (select video_id from windowed where not is_current)
        and day >= $prior_from
        and day < $from_day
    group by video_id
),

counted as (
    select
        windowed.video_id,
        windowed.creator_id,
        windowed.is_current,
        if(windowed.is_current, windowed.view_count, prior_counts.views) as views,
        if(windowed.is_current, windowed.like_count, prior_counts.likes) as likes,
        if(windowed.is_current, windowed.comment_count, prior_counts.comments) as comments,
        if(windowed.is_current, windowed.share_count, prior_counts.shares) as shares,
        if(windowed.is_current, windowed.save_count, prior_counts.saves) as saves
    from windowed
    left join prior_counts using (video_id)
),
"""
"""`counted`: each post of both windows with its last known counts by the end of its window."""

WINDOWS = """
summed as (
    select
        is_current,
        count(*) as posts,
        count(distinct creator_id) as active_creators,
        sum(views) as views,
        rules.engagement_rate(
            rules.engagement(sum(likes), sum(comments), sum(shares), sum(saves)), sum(views)
        ) as engagement_rate
    from counted
    group by is_current
),

windows as (
    select unnest([true, false]) as is_current
)

select
    coalesce(posts, 0),
    coalesce(active_creators, 0),
    if(posts is null, 0, views),
    engagement_rate
from windows
left join summed using (is_current)
order by is_current desc
"""

WEEKS = """
weeks as (
    select
        count(*) filter (where appeared_on > $today - 7) as this_week,
        count(*) filter (where appeared_on > $today - 14 and appeared_on <= $today - 7) as last_week
    from posts
)

select * from weeks
"""

CAMPAIGNS = """
of_campaigns as (
    select
        members.campaign_id,
        count(*) as posts,
        sum(counted.views) as views
    from marts.campaign_videos as members
    inner join counted using (video_id)
    where counted.is_current
    group by members.campaign_id
)

select * from of_campaigns
order by views desc nulls last, campaign_id
"""


@dataclass(frozen=True, slots=True)
class WindowFigures:
    """The posts of one window. Views are None while unknown, 0 where there are no posts.

    `engagement_rate` is a percentage of the views, None where these are 0 or unknown. Everything
    is None before the first publication.
    """

    posts: int | None
    active_creators: int | None
    views: int | None
    engagement_rate: float | None


@dataclass(frozen=True, slots=True)
class CampaignFigures:
    """A campaign's posts of the window, and their views (None while unknown)."""

    campaign_id: UUID
    posts: int
    views: int | None


def windows(cursor: DuckDBPyConnection, scope: HealthScope) -> tuple[WindowFigures, WindowFigures]:
    """Return the figures of the window and of the prior one."""
    current, prior = scope.read(cursor, COUNTED + WINDOWS)
    return WindowFigures(*current), WindowFigures(*prior)


def posts_by_week(cursor: DuckDBPyConnection, scope: HealthScope) -> tuple[int, int]:
    """Return how many posts appeared in the last seven days, and in the seven before."""
    this_week, last_week = scope.read(cursor, WEEKS)[0]
    return this_week, last_week


def campaigns(cursor: DuckDBPyConnection, scope: HealthScope) -> list[CampaignFigures]:
    """Return every campaign with a post of the window in scope, most views first."""
    return [CampaignFigures(*row) for row in scope.read(cursor, COUNTED + CAMPAIGNS)]
