{{ config(
    materialized="incremental",
    meta={"key": "video_id", "replaces": "entities", "touched": "int_touched_commented_videos"}
) }}

{%- set touched = ref('int_touched_commented_videos') %}

with

crawls as (
    {{ scoped(ref('int_comment_crawls'), touched, "video_id") }}
),

comments as (
    {{ scoped(ref('comments'), touched, "video_id") }}
),

videos as (
    select * from {{ ref('int_commented_videos') }}
),

counts as (
    select
        video_id,
        {{ comment_counts() }}
    from comments
    group by video_id
)

select
    crawls.video_id,
    videos.organization_id,
    crawls.last_collected_at,
    coalesce(counts.comment_count, 0) as comment_count,
    coalesce(counts.positive_count, 0) as positive_count,
    coalesce(counts.neutral_count, 0) as neutral_count,
    coalesce(counts.negative_count, 0) as negative_count,
    coalesce(counts.unscored_count, 0) as unscored_count,
    {%- for signal in comment_signals() %}
        coalesce(counts.{{ signal }}_count, 0) as {{ signal }}_count,
    {%- endfor %}
    coalesce(counts.flagged_count, 0) as flagged_count
from crawls
inner join videos using (video_id)
left join counts using (video_id)
