"""Changes on the organization's own days, from video_daily, creator_daily and campaign_daily."""

from warehouse.reading.changes import Changes
from warehouse.reading.series_query import Entity, Metric, SeriesQuery

DAYS: dict[Entity, str] = {
    "video": """
        marts.video_daily
    where
        video_id in (
            select video_id
            from marts.videos
            where organization_id = $organization_id and video_id = $entity_id
        )
    """,
    "creator": """
        marts.creator_daily
    where
        organization_id = $organization_id
        and creator_id = $entity_id
    """,
    "campaign": """
        marts.campaign_daily
    where
        organization_id = $organization_id
        and campaign_id = $entity_id
    """,
}
"""The rows of an entity's days. Parameters: $organization_id, $entity_id."""

COLUMNS: dict[Metric, tuple[str, str]] = {
    "views": ("new_views", "cumulative_views"),
    "likes": ("new_likes", "cumulative_likes"),
    "comments": ("new_comments", "cumulative_comments"),
    "shares": ("new_shares", "cumulative_shares"),
    "saves": ("new_saves", "cumulative_saves"),
    "followers": ("new_followers", "followers"),
    "video_count": ("new_videos", "cumulative_videos"),
}
"""The change on a day and the count at its end."""

CHANGES = """
changes as (
    select
        day,
        {change} as change
    from {days}
        and day <= $to_day
        and {total} is not null
)
"""

COUNT_AT = """
    select arg_max({total}, day) as total
    from {days}
        and day <= {day}
"""


def daily_changes(query: SeriesQuery) -> Changes:
    """Return the changes on the days of the organization's zone."""
    change, total = COLUMNS[query.metric]
    return Changes(CHANGES.format(change=change, total=total, days=DAYS[query.entity]))


def count_at(query: SeriesQuery, day: str) -> str:
    """Return the query of the count (total) at the end of the org-local day `day`, null if unknown.

    `day` is an SQL expression.
    """
    _, total = COLUMNS[query.metric]
    return COUNT_AT.format(total=total, days=DAYS[query.entity], day=day)
