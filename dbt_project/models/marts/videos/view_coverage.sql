with

videos as (
    select * from {{ ref('int_video_coverage') }}
),

members as (
    select
        organization_id,
        'account' as entity,
        account_id as entity_id,
        from_day,
        to_day,
        readings_due,
        readings_came
    from videos
    where account_id is not null
    union all
    select
        videos.organization_id,
        'campaign' as entity,
        campaigns.campaign_id as entity_id,
        videos.from_day,
        videos.to_day,
        videos.readings_due,
        videos.readings_came
    from videos
    inner join {{ ref('int_campaign_videos') }} as campaigns using (video_id)
)

select
    organization_id,
    entity,
    entity_id,
    from_day,
    to_day,
    cast(sum(readings_due) as bigint) as readings_due,
    cast(sum(readings_came) as bigint) as readings_came
from members
group by all
