with

videos as (
    select * from {{ ref('stg_videos') }}
),

last_readings as (
    select * from {{ ref('int_video_last_readings') }}
),

accounts as (
    select * from {{ ref('int_account_last_readings') }}
),

first_readings as (
    select
        coalesce(videos.account_id, videos.video_id) as tracked_id,
        last_readings.first_captured_at
    from videos
    inner join last_readings using (video_id)
    union all
    select
        account_id as tracked_id,
        first_captured_at
    from accounts
),

tracked as (
    select
        tracked_id,
        min(first_captured_at) as tracked_from
    from first_readings
    group by tracked_id
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
        last_readings.{{ counter }}_first_captured_at,
        rules.before_tracking(
            last_readings.{{ counter }}_first_count, videos.posted_at, tracked.tracked_from
        ) as {{ counter }}_before_tracking,
    {%- endfor %}
    last_readings.first_captured_at,
    last_readings.last_captured_at
from videos
left join last_readings using (video_id)
left join tracked on coalesce(videos.account_id, videos.video_id) = tracked.tracked_id
