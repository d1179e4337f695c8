{{ config(
    materialized="incremental",
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
),

by_meaning as (
    select * from {{ ref('int_views_by_meaning') }}
    where not is_past
)

select
    computed.video_id,
    computed.captured_at,
    computed.is_exact and coalesce(by_meaning.is_exact, true) as is_exact,
    computed.source,
    coalesce(by_meaning.view_count, computed.view_count) as view_count,
    coalesce(by_meaning.view_delta, computed.view_delta) as view_delta,
    {%- for counter in video_counters() if counter != "view" %}
        computed.{{ counter }}_count,
        computed.{{ counter }}_delta,
    {%- endfor %}
    computed.is_first
from computed
left join by_meaning
    on
        computed.video_id = by_meaning.video_id
        and computed.captured_at = by_meaning.captured_at
order by computed.captured_at
