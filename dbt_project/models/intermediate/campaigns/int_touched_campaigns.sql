{{ touched_by_members(
    entity='campaign_id',
    videos=ref('int_campaign_videos'),
    accounts=ref('int_campaign_accounts'),
    published_videos=source('control', 'campaign_videos'),
    published_accounts=source('control', 'campaign_accounts'),
) }}
