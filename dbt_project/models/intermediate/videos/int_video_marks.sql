{{ config(
    materialized="continued",
    meta={"key": "video_id", "replaces": "days", "touched": "int_touched_videos"}
) }}

{%- set touched = ref('int_touched_videos') %}
{%- set last_marks = source('control', 'video_last_marks') %}
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
        {%- for counter in video_counters() %}
        if(
            touched.from_day > last_marks.last_day,
            last_marks.{{ counter }}_mark,
            last_marks.{{ counter }}_mark_before
        ) as {{ counter }}_most,
        {%- endfor %}
        if(
            touched.from_day > last_marks.last_day, last_marks.views_read_on, last_marks.views_read_before
        ) as views_read_on,
        date '-infinity' as day
    from {{ touched }} as touched
    inner join {{ last_marks }} as last_marks using (video_id)
    where touched.from_day >= last_marks.last_day
),

reopened as (
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
    inner join {{ last_marks }} as last_marks
        on old.video_id = last_marks.video_id and touched.from_day < last_marks.last_day
    group by old.video_id
),
{% endif %}

days as (
    select * from read_on_days
    {% if not full %}
    union all by name
    select * from continued
    union all by name
    select * from reopened
    {% endif %}
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
