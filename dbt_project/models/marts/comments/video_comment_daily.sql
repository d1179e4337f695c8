{{ config(
    materialized="continued",
    meta={"key": "video_id", "replaces": "entities", "touched": "int_touched_comments"}
) }}

with

comments as (
    {{ scoped(ref('comments'), ref('int_touched_comments'), "video_id") }}
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
