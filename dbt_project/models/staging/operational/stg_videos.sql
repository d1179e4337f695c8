with

copied as (
    select * from {{ source('operational', 'videos') }}
)

select
    id as video_id,
    organization_id,
    project_id,
    account_id,
    creator_id,
    platform,
    platform_video_id,
    url,
    caption,
    coalesce(custom_title, if(platform = 'tiktok', {{ first_line("caption") }}, null)) as title,
    media_type,
    duration_seconds,
    tracking_status,
    tracking_status in ('auto_tracked', 'included', 'direct_add') as is_counted,
    posted_at,
    {{ posted_at_awaited_until() }} as posted_at_awaited_until,
    {{ views_due_from() }} as views_due_from,
    {{ views_due_until() }} as views_due_until
from copied
