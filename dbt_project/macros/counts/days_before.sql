{# The starting point of daily sums and marks: each touched entity's state before its first touched day (see
   `opening`), as one row with the day -infinity. #}


{% macro account_days_before(touched) -%}
    select
        old.account_id,
        {%- for counter in account_counters() %}
        arg_max(old.{{ counter }}_count, old.day) as {{ counter }}_gained,
        {%- endfor %}
        date '-infinity' as day
    from {{ this }} as old
    inner join {{ touched }} as touched
        on old.account_id = touched.account_id and old.day < touched.from_day
    group by old.account_id
{%- endmacro %}


{% macro video_days_before(touched, last_readings, last_days) -%}
    {#- For a video without late readings, from its published last readings: no day is read. -#}
    select
        touched.video_id,
        {%- for counter, counted in video_counters().items() %}
        last_readings.{{ counter }}_count
        - if(touched.from_day > last_days.last_day, 0, last_days.last_new_{{ counted }})
            as {{ counter }}_gained,
        {%- endfor %}
        date '-infinity' as day
    from {{ touched }} as touched
    inner join {{ last_readings }} as last_readings using (video_id)
    inner join {{ last_days }} as last_days using (video_id)
    where touched.from_day >= last_days.last_day
    union all by name
    select
        old.video_id,
        {%- for counter, counted in video_counters().items() %}
        arg_max(old.cumulative_{{ counted }}, old.day) as {{ counter }}_gained,
        {%- endfor %}
        date '-infinity' as day
    from {{ this }} as old
    inner join {{ touched }} as touched
        on old.video_id = touched.video_id and old.day < touched.from_day
    inner join {{ last_days }} as last_days
        on old.video_id = last_days.video_id and touched.from_day < last_days.last_day
    group by old.video_id
{%- endmacro %}


{% macro video_high_water_marks_before(touched, last_high_water_marks) -%}
    {#- Likewise, from the published last marks. -#}
    select
        touched.video_id,
        {%- for counter in video_counters() %}
        if(
            touched.from_day > last_high_water_marks.last_day,
            last_high_water_marks.{{ counter }}_mark,
            last_high_water_marks.{{ counter }}_mark_before
        ) as {{ counter }}_most,
        {%- endfor %}
        if(
            touched.from_day > last_high_water_marks.last_day,
            last_high_water_marks.views_read_on,
            last_high_water_marks.views_read_before
        ) as views_read_on,
        date '-infinity' as day
    from {{ touched }} as touched
    inner join {{ last_high_water_marks }} as last_high_water_marks using (video_id)
    where touched.from_day >= last_high_water_marks.last_day
    union all by name
    select
        old.video_id,
        {%- for counter in video_counters() %}
        max(old.{{ counter }}_mark) as {{ counter }}_most,
        {%- endfor %}
        max(if(old.view_first is null, old.views_read_before, old.day)) as views_read_on,
        date '-infinity' as day
    from {{ this }} as old
    inner join {{ touched }} as touched
        on old.video_id = touched.video_id and old.day < touched.from_day
    inner join {{ last_high_water_marks }} as last_high_water_marks
        on old.video_id = last_high_water_marks.video_id and touched.from_day < last_high_water_marks.last_day
    group by old.video_id
{%- endmacro %}
