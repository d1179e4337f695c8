with

before as (
    select
        members.campaign_id,
        videos.creator_id,
        cast(timezone(organizations.analytics_tz, videos.view_first_captured_at) as date) as day,
        sum(videos.view_before_tracking) as views
    from marts.campaign_videos as members
    inner join marts.videos as videos using (organization_id, video_id)
    inner join marts.organizations as organizations using (organization_id)
    where
        members.organization_id = $organization_id
        and members.campaign_id in (select cast(unnest(string_split($ids, ',')) as uuid))
        and videos.view_before_tracking > 0
    group by members.campaign_id, videos.creator_id, day
)

select
    days.campaign_id,
    if($by_creator, days.creator_id, null) as creator_id,
    days.day,
    cast(sum(days.new_views) as bigint) as new_views,
    cast(
        coalesce(sum(before.views) filter (where days.new_views is not null), 0) as bigint
    ) as before_tracking
from marts.campaign_creator_daily as days
left join before
    on
        days.campaign_id = before.campaign_id
        and days.day = before.day
        and days.creator_id is not distinct from before.creator_id
where
    days.organization_id = $organization_id
    and days.campaign_id in (select cast(unnest(string_split($ids, ',')) as uuid))
    and days.day >= $from_day
    and days.day <= $to_day
group by all
