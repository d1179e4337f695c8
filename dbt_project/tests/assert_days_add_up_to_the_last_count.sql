-- A video's running sums end at its last known counts. Looked at where this run touched the days.
with

last_days as (
    select
        daily.video_id
        {%- for counted in video_counters().values() %},
        arg_max(daily.cumulative_{{ counted }}, daily.day) as {{ counted }}
        {%- endfor %}
    from {{ ref('video_daily') }} as daily
    {%- if not computes_everything() %}
    semi join {{ ref('int_touched_videos') }} using (video_id)
    where daily.day >= {{ least_of(ref('int_touched_videos'), "from_day", "date") }}
    {%- endif %}
    group by daily.video_id
)

select last_days.*
from last_days
inner join {{ ref('int_video_last_readings') }} as last_readings using (video_id)
where
    false
    {%- for counter, counted in video_counters().items() %}
    or last_days.{{ counted }} is distinct from last_readings.{{ counter }}_count
    {%- endfor %}
