with

videos as (
    select * from {{ ref('stg_videos') }}
),

organizations as (
    select * from {{ ref('stg_organizations') }}
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
)

select
    videos.video_id,
    offsets.starts_at,
    offsets.ends_at,
    offsets.utc_offset_seconds
from videos
inner join organizations using (organization_id)
inner join offsets on organizations.analytics_tz = offsets.zone
