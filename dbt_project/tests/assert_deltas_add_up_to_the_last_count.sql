-- The changes of a counter, summed, are its last known count (decisions.md, Analytics). Checked over
-- all history in a full refresh, and otherwise for the videos that this run continued: what their new
-- rows add is the difference to the count that was published last.
with

gained as (
    select
        video_id
        {%- for counter in video_counters() %},
        sum({{ counter }}_delta) as {{ counter }}_gained
        {%- endfor %}
    from {{ ref('video_deltas') if computes_everything() else ref('int_video_changes') }}
    {%- if not computes_everything() %}
    where not is_late
    {%- endif %}
    group by video_id
),

published as (
    select * from {{ source('control', 'video_last_readings') }}
    {%- if computes_everything() %}
    where false
    {%- endif %}
)

select gained.*
from gained
inner join {{ ref('int_video_last_readings') }} as last_readings using (video_id)
left join published using (video_id)
where
    false
    {%- for counter in video_counters() %}
    or coalesce(published.{{ counter }}_count, 0) + coalesce(gained.{{ counter }}_gained, 0)
    <> coalesce(last_readings.{{ counter }}_count, 0)
    {%- endfor %}
