with

deltas as (
    select * from {{ ref('video_deltas') }}
),

offsets as (
    select * from {{ ref('int_video_offsets') }}
),

dated as (
    select
        deltas.*,
        {{ local_day("deltas.captured_at", "offsets.utc_offset_seconds") }} as day
    from deltas
    inner join offsets
        on
            deltas.video_id = offsets.video_id
            and deltas.captured_at >= offsets.starts_at
            and deltas.captured_at < offsets.ends_at
),

days as (
    select
        video_id,
        day,
        count(*) as readings
        {%- for counter, counted in video_counters().items() %},
        cast(sum({{ counter }}_delta) as bigint) as gained_{{ counted }}
        {%- endfor %}
    from dated
    group by video_id, day
)

select
    video_id,
    day,
    readings
    {%- for counted in video_counters().values() %},
    cast(sum(gained_{{ counted }}) over until_day as bigint) as cumulative_{{ counted }},
    if(cumulative_{{ counted }} is null, null, coalesce(gained_{{ counted }}, 0)) as new_{{ counted }}
    {%- endfor %}
from days
window until_day as (partition by video_id order by day)
