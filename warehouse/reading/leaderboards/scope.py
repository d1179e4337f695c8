"""Whose days a leaderboard looks at: SQL of counted posts, and of the days of those ranked.

Creators of a whole project and campaigns have days of their own in the marts; everything else is
summed up from the days of posts.
"""

from warehouse.reading.leaderboards.query import LeaderboardQuery

ENTITY_COLUMN = {"video": "video_id", "creator": "creator_id", "campaign": "campaign_id"}

POSTS = """
posts as (
    select
        videos.*,
        videos.{entity} as entity_id,
        coalesce(videos.posted_at, videos.first_captured_at) as appeared_at
    from marts.videos as videos
    where
        videos.organization_id = $organization_id
        and videos.is_counted
        and videos.{entity} is not null
        {conditions}
)
"""

OF_CAMPAIGN = """
        and videos.video_id in (
            select video_id
            from marts.campaign_videos
            where campaign_id = $campaign_id
        )
"""

DAYS_OF_POSTS = """
days as not materialized (
    select
        posts.entity_id,
        daily.*
    from marts.video_daily as daily
    inner join posts using (video_id)
)
"""
"""Each use reads the months that it names; kept for all of them, it would be all months."""

DAYS_OF_ENTITIES = """
days as (
    select
        {entity} as entity_id,
        *
    from marts.{entities}_daily
    where organization_id = $organization_id and project_id = $project_id
)
"""


def has_own_days(query: LeaderboardQuery) -> bool:
    """Tell whether the marts hold days of exactly those that are ranked."""
    if query.ranked == "campaign":
        return True
    whole_project = query.campaign_id is None and query.platform is None
    return query.ranked == "creator" and whole_project


def days(query: LeaderboardQuery) -> str:
    """Return the table `days` (entity_id, day, new_*, cumulative_*), with what it needs."""
    if has_own_days(query):
        entity = ENTITY_COLUMN[query.ranked]
        return DAYS_OF_ENTITIES.format(entity=entity, entities=query.ranked)
    return f"{posts(query)},\n{DAYS_OF_POSTS}"


def posts(query: LeaderboardQuery) -> str:
    """Return the table `posts`: the counted posts in scope, and whom each counts for."""
    conditions = [
        "and videos.project_id = $project_id" if query.project_id else "",
        OF_CAMPAIGN if query.campaign_id else "",
        "and videos.platform = $platform" if query.platform else "",
    ]
    return POSTS.format(entity=ENTITY_COLUMN[query.ranked], conditions="\n".join(conditions))
