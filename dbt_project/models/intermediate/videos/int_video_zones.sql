{{ config(materialized="view") }}

select
    videos.video_id,
    organizations.analytics_tz
from {{ ref('stg_videos') }} as videos
inner join {{ ref('stg_organizations') }} as organizations using (organization_id)
