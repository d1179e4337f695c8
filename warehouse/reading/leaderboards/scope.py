"""SQL for the counted posts of a leaderboard, and the days of the ranked entities.

Creators of a whole project and campaigns have daily marts; all others are summed up from posts'
days.
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
"""Each use reads only the months that it names; materialized, it would read all months."""

DAYS_OF_ENTITIES = """
days as (
    select
        {entity} as entity_id,
        *
    from marts.{entities}_daily
    where organization_id = $organization_id and project_id = $project_id
)
"""


OLDER = """
older as not materialized (
    select
        posts.*,
        organizations.analytics_tz
    from posts
    inner join marts.organizations as organizations using (organization_id)
)
"""

OLDER_OF_CAMPAIGNS = """
older as not materialized (
    select
        videos.*,
        members.campaign_id as entity_id,
        organizations.analytics_tz
    from marts.campaign_videos as members
    inner join marts.videos as videos using (organization_id, video_id)
    inner join marts.organizations as organizations using (organization_id)
    where members.organization_id = $organization_id and videos.project_id = $project_id
)
"""


def has_own_days(query: LeaderboardQuery) -> bool:
    """Return whether a mart has days of exactly the ranked entities."""
    if query.ranked == "campaign":
        return True
    whole_project = query.campaign_id is None and query.platform is None
    return query.ranked == "creator" and whole_project


def days(query: LeaderboardQuery) -> str:
    """Return the CTEs `days` (entity_id, day, new_*, cumulative_*), `older`, and `posts`.

    For campaigns there is no `posts`.
    """
    if not has_own_days(query):
        return f"{posts(query)},\n{_older(query)},\n{DAYS_OF_POSTS}"
    of_entities = DAYS_OF_ENTITIES.format(entity=ENTITY_COLUMN[query.ranked], entities=query.ranked)
    needed = "" if query.ranked == "campaign" else f"{posts(query)},\n"
    return f"{needed}{_older(query)},\n{of_entities}"


def _older(query: LeaderboardQuery) -> str:
    """Return the CTE `older`: posts of ranked entities, for views from before tracking.

    It needs `posts`, except for campaigns.
    """
    return OLDER_OF_CAMPAIGNS if query.ranked == "campaign" else OLDER


def posts(query: LeaderboardQuery) -> str:
    """Return the CTE `posts`: counted posts in scope, with the entity of each."""
    conditions = [
        "and videos.project_id = $project_id" if query.project_id else "",
        OF_CAMPAIGN if query.campaign_id else "",
        "and videos.platform = $platform" if query.platform else "",
    ]
    return POSTS.format(entity=ENTITY_COLUMN[query.ranked], conditions="\n".join(conditions))
