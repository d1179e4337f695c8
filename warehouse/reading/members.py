"""Whose readings make up an entity: SQL of its counted videos and of its active accounts.

A video's own numbers are its own whether it counts or not; totals are over the videos that count
now, for every date (decisions.md, Counted). Parameters: $organization_id, $entity_id.
"""

from warehouse.reading.series_query import Entity

VIDEOS: dict[Entity, str] = {
    "video": """
        select video_id, posted_at, first_captured_at
        from marts.videos
        where organization_id = $organization_id and video_id = $entity_id
    """,
    "creator": """
        select video_id, posted_at, first_captured_at
        from marts.videos
        where organization_id = $organization_id and creator_id = $entity_id and is_counted
    """,
    "campaign": """
        select video_id, posted_at, first_captured_at
        from marts.campaign_videos
        inner join marts.videos using (video_id)
        where organization_id = $organization_id and campaign_id = $entity_id
    """,
}

ACCOUNTS: dict[Entity, str] = {
    "video": """
        select account_id, first_captured_at
        from marts.accounts
        where false
    """,
    "creator": """
        select account_id, first_captured_at
        from marts.accounts
        where
            organization_id = $organization_id
            and creator_id = $entity_id
            and is_active
            and not is_deactivated
    """,
    "campaign": """
        select account_id, first_captured_at
        from marts.campaign_accounts
        inner join marts.accounts using (account_id)
        where organization_id = $organization_id and campaign_id = $entity_id
    """,
}
