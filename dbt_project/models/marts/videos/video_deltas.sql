{{ config(
    materialized="continued",
    meta={"key": "video_id", "replaces": "instants"}
) }}

{%- set facts = ref('stg_video_snapshots') %}
{%- set changes = ref('int_video_changes') %}

with

{% if computes_everything() -%}
{{ merged_at_instant(facts, "video_id", video_counters()) }},

computed as (
    {{ counts_and_changes("merged", "video_id", video_counters()) }}
)
{%- else -%}
computed as (
    select * from {{ changes }}
    where is_affected
)
{%- endif %}

select
    video_id,
    captured_at,
    is_exact,
    source,
    {%- for counter in video_counters() %}
    {{ counter }}_count,
    {{ counter }}_delta,
    {%- endfor %}
    is_first
from computed
order by captured_at
