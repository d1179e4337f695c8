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
            arg_min(dated.{{ counter }}_count, dated.captured_at) filter (
                where dated.{{ counter }}_count is not null
            ) as {{ counter }}_first,
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

marked as (
    select
        {%- for counter in video_counters() %}
            max({{ counter }}_most) over until_day as {{ counter }}_mark,
            max({{ counter }}_most) over before_day as {{ counter }}_mark_before,
        {%- endfor %}
        max(views_read_on) over before_day as views_read_before,
        *
    from days
    window
        until_day as (partition by video_id order by day),
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
