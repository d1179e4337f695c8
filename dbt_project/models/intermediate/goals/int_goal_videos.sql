with

videos as (
    select videos.* from {{ ref('stg_videos') }} as videos
    where videos.is_counted and not {{ awaits_posted_at("videos") }}
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
),

judged as (
    select distinct creator_id
    from {{ ref('stg_goal_states') }}
)

select
    videos.video_id,
    owners.creator_id,
    owners.account_id,
    owners.from_at,
    owners.until_at,
    owners.is_only as is_by_day,
    zones.analytics_tz as timezone,
    videos.posted_at,
    {{ local_day("videos.posted_at", "offsets.utc_offset_seconds") }} as posted_on,
    last_days.first_day
from {{ ref('int_video_owners') }} as owners
semi join judged using (creator_id)
inner join videos using (video_id)
inner join {{ ref('int_video_zones') }} as zones using (video_id)
left join {{ ref('int_video_last_days') }} as last_days using (video_id)
left join offsets
    on
        zones.analytics_tz = offsets.zone
        and videos.posted_at >= offsets.starts_at
        and videos.posted_at < offsets.ends_at
