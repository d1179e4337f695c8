with

videos as (
    select * from {{ ref('stg_videos') }}
    where is_counted
),

zones as (
    select * from {{ ref('int_video_zones') }}
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
),

last_readings as (
    select * from {{ ref('int_video_last_readings') }}
),

last_days as (
    select * from {{ ref('int_video_last_days') }}
),

appeared as (
    select
        videos.video_id,
        videos.organization_id,
        videos.project_id,
        videos.creator_id,
        zones.analytics_tz,
        last_days.first_day,
        coalesce(videos.posted_at, last_readings.first_captured_at) as appeared_at
    from videos
    left join zones using (video_id)
    left join last_readings using (video_id)
    left join last_days using (video_id)
)

select
    appeared.video_id,
    appeared.organization_id,
    appeared.project_id,
    appeared.creator_id,
    if(
        appeared.appeared_at <= {{ as_of() }},
        {{ local_day("appeared.appeared_at", "offsets.utc_offset_seconds") }},
        null
    ) as appeared_on,
    appeared.first_day
from appeared
left join offsets
    on
        appeared.analytics_tz = offsets.zone
        and appeared.appeared_at >= offsets.starts_at
        and appeared.appeared_at < offsets.ends_at
