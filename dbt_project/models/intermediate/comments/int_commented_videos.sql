with

crawled as (
    select video_id from {{ ref('int_comment_crawls') }}
    union
    select video_id from {{ ref('int_comment_sightings') }}
)

select
    videos.video_id,
    videos.organization_id,
    videos.project_id,
    videos.creator_id,
    videos.platform,
    videos.is_counted,
    zones.analytics_tz
from {{ ref('stg_videos') }} as videos
inner join {{ ref('int_video_zones') }} as zones using (video_id)
semi join crawled using (video_id)
