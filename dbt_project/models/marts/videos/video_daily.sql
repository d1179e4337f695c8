{{ config(
    materialized="continued",
    meta={"key": "video_id", "replaces": "days", "touched": "int_touched_videos"}
) }}

{%- set touched = ref('int_touched_videos') %}
{%- set last_readings = source('control', 'video_last_readings') %}
{%- set last_days = source('control', 'video_last_days') %}
{%- set full = computes_everything() %}
{%- set readings_from = first_reading_at() if full else least_of(touched, "readings_from", "timestamptz") %}

with

deltas as (
    select deltas.*
    from {{ ref('video_deltas') }} as deltas
    {% if not full %}
    semi join {{ touched }} using (video_id)
    {% endif %}
    where deltas.captured_at >= {{ readings_from }}
),

{{ dated("deltas", "video_id", ref('int_video_zones'), readings_from) }},

gained as (
    select
        dated.video_id,
        dated.day,
        {%- for counter, counted in video_counters().items() %}
        cast(sum(dated.{{ counter }}_delta) as bigint) as gained_{{ counted }},
        {%- endfor %}
        count(*) as readings
    from dated
    {% if not full %}
    inner join {{ touched }} as touched
        on dated.video_id = touched.video_id and dated.day >= touched.from_day
    {% endif %}
    group by dated.video_id, dated.day
),

{% if not full %}

continued as (
    select
        touched.video_id,
        {%- for counter, counted in video_counters().items() %}
        last_readings.{{ counter }}_count
        - if(touched.from_day > last_days.last_day, 0, last_days.last_new_{{ counted }})
            as gained_{{ counted }},
        {%- endfor %}
        date '-infinity' as day
    from {{ touched }} as touched
    inner join {{ last_readings }} as last_readings using (video_id)
    inner join {{ last_days }} as last_days using (video_id)
    where touched.from_day >= last_days.last_day
),

reopened as (
    select
        old.video_id,
        {%- for counted in video_counters().values() %}
        arg_max(old.cumulative_{{ counted }}, old.day) as gained_{{ counted }},
        {%- endfor %}
        date '-infinity' as day
    from {{ this }} as old
    inner join {{ touched }} as touched
        on old.video_id = touched.video_id and old.day < touched.from_day
    inner join {{ last_days }} as last_days
        on old.video_id = last_days.video_id and touched.from_day < last_days.last_day
    group by old.video_id
),
{% endif %}

days as (
    select * from gained
    {% if not full %}
    union all by name
    select * from continued
    union all by name
    select * from reopened
    {% endif %}
),

summed as (
    select
        video_id,
        day,
        {%- for counted in video_counters().values() %}
        cast(sum(gained_{{ counted }}) over until_day as bigint) as cumulative_{{ counted }},
        if(cumulative_{{ counted }} is null, null, coalesce(gained_{{ counted }}, 0)) as new_{{ counted }},
        {%- endfor %}
        readings
    from days
    window until_day as (partition by video_id order by day)
)

select
    video_id,
    day,
    {%- for counted in video_counters().values() %}
    new_{{ counted }},
    cumulative_{{ counted }},
    {%- endfor %}
    readings
from summed
where readings is not null
order by day
