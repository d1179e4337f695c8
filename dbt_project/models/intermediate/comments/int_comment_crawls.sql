{{ config(
    materialized="incremental",
    meta={"key": "video_id", "replaces": "rows"}
) }}

{%- set before %}
    select old.*
    from {{ this }} as old
    semi join newly_known using (video_id)
{%- endset %}

with

newly_known as (
    {{ new_facts(ref('stg_comment_crawls'), "finished_at") }}
),

crawls as (
    select
        video_id,
        if(is_complete and outcome = 'ok', started_at, null) as complete_started_at,
        if(outcome = 'ok' or collected_count > 0, finished_at, null) as last_collected_at
    from newly_known
    {{ opening(before) }}
)

select
    video_id,
    max(complete_started_at) as complete_started_at,
    max(last_collected_at) as last_collected_at
from crawls
group by video_id
