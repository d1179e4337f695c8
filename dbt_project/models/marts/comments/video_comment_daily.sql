with

comments as (
    select * from {{ ref('comments') }}
    where is_counted
)

select
    video_id,
    day,
    organization_id,
    project_id,
    creator_id,
    platform,
    {{ comment_counts() }}
from comments
group by video_id, day, organization_id, project_id, creator_id, platform
