{{ touched_by_members(
    entity='creator_id',
    videos=ref('int_creator_videos'),
    accounts=ref('int_active_accounts'),
    published_videos=source('control', 'counted_videos'),
    published_accounts=source('control', 'active_accounts'),
) }}
