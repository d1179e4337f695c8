with

before as (
    select
        videos.creator_id,
        cast(timezone(organizations.analytics_tz, videos.view_first_captured_at) as date) as day,
        sum(videos.view_before_tracking) as views
    from marts.campaign_videos as members
    inner join marts.videos as videos using (organization_id, video_id)
    inner join marts.organizations as organizations using (organization_id)
    where
        members.organization_id = $organization_id
        and members.campaign_id = $campaign_id
        and videos.view_before_tracking > 0
    group by videos.creator_id, day
)

select
    days.creator_id,
    days.day,
    days.new_views,
    cast(coalesce(before.views, 0) as bigint) as before_tracking
from marts.campaign_creator_daily as days
left join before
    on days.day = before.day and days.creator_id is not distinct from before.creator_id
where
    days.organization_id = $organization_id
    and days.campaign_id = $campaign_id
    and days.day >= $from_day
    and days.day <= $to_day
