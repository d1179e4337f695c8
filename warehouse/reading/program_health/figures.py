"""Sums over the posts of the window and the prior one, each as of its own end."""

from dataclasses import dataclass
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.program_health.scope import HealthScope

WINDOWS = """
with

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
with

weeks as (
    select
        count(*) filter (where appeared_on > $today - 7) as this_week,
        count(*) filter (where appeared_on > $today - 14 and appeared_on <= $today - 7) as last_week
    from posts
)

select * from weeks
"""

CAMPAIGNS = """
with

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
    """Figures of a window's posts. Views are None if unknown, 0 without posts.

    `engagement_rate` is a percentage of views, None if these are 0 or unknown. All are None before
    the first publication.
    """

    posts: int | None
    active_creators: int | None
    views: int | None
    engagement_rate: float | None


@dataclass(frozen=True, slots=True)
class CampaignFigures:
    """A campaign's posts of the window, and their views (None if unknown)."""

    campaign_id: UUID
    posts: int
    views: int | None


def windows(cursor: DuckDBPyConnection, scope: HealthScope) -> tuple[WindowFigures, WindowFigures]:
    """Return the figures of the window and of the prior one."""
    current, prior = scope.read(cursor, WINDOWS)
    return WindowFigures(*current), WindowFigures(*prior)


def posts_by_week(cursor: DuckDBPyConnection, scope: HealthScope) -> tuple[int, int]:
    """Return the numbers of posts in the last seven days, and in the seven before."""
    this_week, last_week = scope.read(cursor, WEEKS)[0]
    return this_week, last_week


def campaigns(cursor: DuckDBPyConnection, scope: HealthScope) -> list[CampaignFigures]:
    """Return campaigns with a post of the window in scope, the most views first."""
    return [CampaignFigures(*row) for row in scope.read(cursor, CAMPAIGNS)]
