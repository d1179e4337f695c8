with

nobodys as (
    select video_id
    from marts.videos
    where
        organization_id = $organization_id
        and project_id = $project_id
        and is_counted
        and creator_id is null
),

days as (
    select
        day,
        new_views
    from marts.creator_daily
    where organization_id = $organization_id and project_id = $project_id
    union all
    select
        daily.day,
        daily.new_views
    from marts.video_daily as daily
    inner join nobodys using (video_id)
)

select
    day,
    cast(sum(new_views) as bigint) as views
from days
where day >= $from_day and day <= $to_day and new_views is not null
group by day
