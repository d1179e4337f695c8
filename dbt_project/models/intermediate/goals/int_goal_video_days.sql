with

videos as (
    select
        owners.video_id,
        owners.account_id,
        owners.creator_id,
        owners.from_at,
        owners.until_at,
        zones.analytics_tz as timezone,
        owners.is_only as is_by_day,
        goal_videos.posted_on
    from {{ ref('int_goal_videos') }} as goal_videos
    inner join {{ ref('int_video_owners') }} as owners using (video_id)
    inner join {{ ref('int_video_zones') }} as zones using (video_id)
),

rises as (
    {{ video_rises("videos") }}
)

select
    video_id,
    account_id,
    creator_id,
    day,
    posted_on,
    views_rise,
    views_start,
    engagement_rise,
    engagement_start
from rises
