with

videos as (
    select * from {{ ref('stg_videos') }}
),

latest as (
    select * from {{ ref('int_video_latest') }}
)

select
    videos.video_id,
    videos.organization_id,
    videos.project_id,
    videos.account_id,
    videos.creator_id,
    videos.platform,
    videos.platform_video_id,
    videos.url,
    videos.tracking_status,
    videos.is_counted,
    videos.posted_at,
    latest.first_captured_at,
    latest.last_captured_at
    {%- for counter in video_counters() %},
    latest.{{ counter }}_count
    {%- endfor %}
from videos
left join latest using (video_id)
