{{ config(
    materialized="incremental",
    meta={"key": "video_id", "replaces": "days", "touched": "int_touched_videos"}
) }}

{%- set touched = ref('int_touched_videos') %}

with

{{ dated(ref('video_deltas'), "video_id", ref('int_video_zones'), touched) }},

read_on_days as (
    select
        dated.video_id,
        dated.day,
        {%- for counter in video_counters() %}
            max(dated.{{ counter }}_count) as {{ counter }}_most,
            arg_min(dated.{{ counter }}_count, dated.captured_at) as {{ counter }}_first,
        {%- endfor %}
        if(view_first is null, null, dated.day) as views_read_on,
        true as is_read
    from dated
    group by dated.video_id, dated.day
),

days as (
    select * from read_on_days
    {{ opening(video_high_water_marks_before(touched, source('control', 'video_last_marks'))) }}
),

-- DuckDB 1.5 searches a tree for each running maximum, so each counter has one.

marked as (
    select
        {%- for counter in video_counters() %}
            max({{ counter }}_most) over before_day as {{ counter }}_mark_before,
            greatest({{ counter }}_mark_before, {{ counter }}_most) as {{ counter }}_mark,
        {%- endfor %}
        last_value(views_read_on ignore nulls) over before_day as views_read_before,
        *
    from days
    window
        before_day as (
            partition by video_id order by day rows between unbounded preceding and 1 preceding
        )
)

select
    video_id,
    {%- for counter in video_counters() %}
        {{ counter }}_mark,
        {{ counter }}_mark - coalesce({{ counter }}_mark_before, {{ counter }}_first) as {{ counter }}_rise,
        if({{ counter }}_mark_before is null, {{ counter }}_first, null) as {{ counter }}_start,
    {%- endfor %}
    view_first,
    views_read_before,
    day
from marked
where is_read
order by day
