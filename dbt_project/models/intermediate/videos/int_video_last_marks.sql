{%- set touched = ref('int_touched_videos') %}
{%- set full = computes_everything() %}

with

touched as (
    select * from {{ touched }}
    where from_day is not null
),

emptied as (
    select video_id
    from touched
    where from_day = '-infinity'
),

kept as (
    select published.*
    from {{ source('control', 'video_last_marks') }} as published
    anti join emptied using (video_id)
    where {{ not full }}
),

fresh as (
    select
        marks.video_id,
        {%- for counter in video_counters() %}
        max(marks.{{ counter }}_mark) as {{ counter }}_mark,
        arg_max(
            if(marks.{{ counter }}_start is null, marks.{{ counter }}_mark - marks.{{ counter }}_rise, null),
            marks.day
        ) as {{ counter }}_mark_before,
        {%- endfor %}
        max(if(marks.view_first is null, marks.views_read_before, marks.day)) as views_read_on,
        arg_max(marks.views_read_before, marks.day) as views_read_before,
        max(marks.day) as last_day
    from {{ ref('int_video_marks') }} as marks
    {% if not full %}
    inner join touched on marks.video_id = touched.video_id and marks.day >= touched.from_day
    where marks.day >= {{ least_of(touched, "from_day", "date") }}
    {% endif %}
    group by marks.video_id
)

select
    video_id,
    {%- for counter in video_counters() %}
    if(fresh.video_id is null, kept.{{ counter }}_mark, fresh.{{ counter }}_mark) as {{ counter }}_mark,
    if(fresh.video_id is null, kept.{{ counter }}_mark_before, fresh.{{ counter }}_mark_before)
        as {{ counter }}_mark_before,
    {%- endfor %}
    if(fresh.video_id is null, kept.views_read_on, fresh.views_read_on) as views_read_on,
    if(fresh.video_id is null, kept.views_read_before, fresh.views_read_before) as views_read_before,
    coalesce(fresh.last_day, kept.last_day) as last_day
from kept
full join fresh using (video_id)
