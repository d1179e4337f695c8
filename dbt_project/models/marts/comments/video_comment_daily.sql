{{ config(
    materialized="incremental",
    meta={"key": "video_id", "replaces": "entities", "touched": "int_touched_commented_videos"}
) }}

with

comments as (
    {{ scoped(ref('comments'), ref('int_touched_commented_videos'), "video_id") }}
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
where is_counted
group by video_id, day, organization_id, project_id, creator_id, platform
