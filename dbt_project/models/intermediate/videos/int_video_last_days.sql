{%- set touched = ref('int_touched_videos') %}
{%- set full = computes_everything() %}

with

zones as (
    select * from {{ ref('int_video_zones') }}
),

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
    from {{ source('control', 'video_last_days') }} as published
    anti join emptied using (video_id)
    where {{ not full }}
),

fresh as (
    select
        daily.video_id,
        {%- for counted in video_counters().values() %}
        arg_max(daily.new_{{ counted }}, daily.day) as last_new_{{ counted }},
        {%- endfor %}
        min(daily.day) as first_day,
        max(daily.day) as last_day
    from {{ ref('video_daily') }} as daily
    {% if not full %}
    inner join touched on daily.video_id = touched.video_id and daily.day >= touched.from_day
    where daily.day >= {{ least_of(touched, "from_day", "date") }}
    {% endif %}
    group by daily.video_id
)

select
    video_id,
    zones.analytics_tz,
    {%- for counted in video_counters().values() %}
    if(fresh.video_id is null, kept.last_new_{{ counted }}, fresh.last_new_{{ counted }})
        as last_new_{{ counted }},
    {%- endfor %}
    least(kept.first_day, fresh.first_day) as first_day,
    coalesce(fresh.last_day, kept.last_day) as last_day
from kept
full join fresh using (video_id)
inner join zones using (video_id)
