{{ config(
    materialized="continued",
    meta={"key": "video_id", "replaces": "entities", "touched": "int_touched_comments"}
) }}

with

comments as (
    select comments.*
    from {{ ref('comments') }} as comments
    {% if not computes_everything() %}
    semi join {{ ref('int_touched_comments') }} using (video_id)
    {% endif %}
    where comments.is_counted
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
