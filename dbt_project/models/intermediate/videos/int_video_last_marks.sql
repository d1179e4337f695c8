{%- set touched = ref('int_touched_videos') %}

with

earlier as (
    {{ earlier_days(source('control', 'video_last_marks'), touched, "video_id") }}
),

computed as (
    {{ scoped(ref('int_video_high_water_marks'), touched, "video_id", at="day") }}
),

fresh as (
    select
        video_id,
        {%- for counter in video_counters() %}
            max({{ counter }}_mark) as {{ counter }}_mark,
            arg_max(if({{ counter }}_start is null, {{ counter }}_mark - {{ counter }}_rise, null), day)
                as {{ counter }}_mark_before,
        {%- endfor %}
        max(if(view_first is null, views_read_before, day)) as views_read_on,
        arg_max(views_read_before, day) as views_read_before,
        max(day) as last_day
    from computed
    group by video_id
)

select
    video_id,
    {%- for counter in video_counters() %}
        if(fresh.video_id is null, earlier.{{ counter }}_mark, fresh.{{ counter }}_mark)
            as {{ counter }}_mark,
        if(fresh.video_id is null, earlier.{{ counter }}_mark_before, fresh.{{ counter }}_mark_before)
            as {{ counter }}_mark_before,
    {%- endfor %}
    if(fresh.video_id is null, earlier.views_read_on, fresh.views_read_on) as views_read_on,
    if(fresh.video_id is null, earlier.views_read_before, fresh.views_read_before) as views_read_before,
    coalesce(fresh.last_day, earlier.last_day) as last_day
from earlier
full join fresh using (video_id)
