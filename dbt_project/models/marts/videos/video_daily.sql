{{ config(
    materialized="incremental",
    meta={"key": "video_id", "replaces": "days", "touched": "int_touched_videos"}
) }}

{%- set touched = ref('int_touched_videos') %}

with

{{ days_of_readings(
    readings=ref('video_deltas'),
    key='video_id',
    zones=ref('int_video_zones'),
    touched=touched,
    counters=video_counters(),
    before=video_days_before(
        touched, source('control', 'video_last_readings'), source('control', 'video_last_days')
    ),
) }}

select
    video_id,
    day,
    {%- for counter, counted in video_counters().items() %}
        {{ counter }}_gained as new_{{ counted }},
        {{ counter }}_total as cumulative_{{ counted }},
    {%- endfor %}
    readings
from summed
order by day
