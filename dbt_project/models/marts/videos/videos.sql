with

videos as (
    select * from {{ ref('stg_videos') }}
),

last_readings as (
    select * from {{ ref('int_video_last_readings') }}
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
    videos.title,
    videos.caption,
    videos.media_type,
    videos.duration_seconds,
    videos.tracking_status,
    videos.is_counted,
    videos.posted_at,
    videos.posted_at_awaited_until,
    videos.views_due_from,
    videos.views_due_until,
    {%- for counter in video_counters() %}
    last_readings.{{ counter }}_count,
    last_readings.{{ counter }}_captured_at,
    {%- endfor %}
    last_readings.first_captured_at,
    last_readings.last_captured_at
from videos
left join last_readings using (video_id)
