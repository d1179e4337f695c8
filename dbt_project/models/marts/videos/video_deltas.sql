{{ config(
    materialized="continued",
    meta={"key": "video_id", "replaces": "instants", "touched": "int_touched_videos"}
) }}

with

computed as (
    {{ counted_readings(
        facts=ref('stg_video_snapshots'),
        touched=ref('int_touched_videos'),
        published=source('control', 'video_last_readings'),
        key='video_id',
        counters=video_counters(),
    ) }}
)

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
