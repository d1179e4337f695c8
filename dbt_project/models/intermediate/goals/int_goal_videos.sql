with

videos as (
    select * from {{ ref('stg_videos') }}
    where is_counted
),

owners as (
    select * from {{ ref('int_video_owners') }}
),

zones as (
    select * from {{ ref('int_video_zones') }}
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
),

judged as (
    select distinct creator_id
    from {{ ref('int_goal_periods') }}
),

ever_owned as (
    select distinct owners.video_id
    from owners
    semi join judged using (creator_id)
)

select
    videos.video_id,
    videos.posted_at,
    {{ local_day("videos.posted_at", "offsets.utc_offset_seconds") }} as posted_on
from videos
semi join ever_owned using (video_id)
inner join zones using (video_id)
left join offsets
    on
        zones.analytics_tz = offsets.zone
        and videos.posted_at >= offsets.starts_at
        and videos.posted_at < offsets.ends_at
