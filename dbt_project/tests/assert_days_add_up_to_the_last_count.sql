-- A video's running sums end at its last known counts. Checked for the days that this run touched.
with

days as (
    {{ scoped(ref('video_daily'), ref('int_touched_videos'), "video_id", at="day") }}
),

last_days as (
    select
        video_id
        {%- for counted in video_counters().values() %},
        arg_max(cumulative_{{ counted }}, day) as {{ counted }}
        {%- endfor %}
    from days
    group by video_id
)

select last_days.*
from last_days
inner join {{ ref('int_video_last_readings') }} as last_readings using (video_id)
where
    false
    {%- for counter, counted in video_counters().items() %}
    or last_days.{{ counted }} is distinct from last_readings.{{ counter }}_count
    {%- endfor %}
