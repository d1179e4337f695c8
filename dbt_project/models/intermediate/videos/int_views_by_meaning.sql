{%- set touched = ref('int_touched_videos') %}
{%- set facts -%}
(
    select
        *,
        source in ('{{ organic_views() | join("', '") }}') as is_organic
    from {{ ref('stg_video_snapshots') }}
    where view_count is not null
)
{%- endset %}
{%- set opened %}
    select
        published.* exclude (view_exact, views_read, is_baseline),
        published.view_exact,
        published.views_read as view_at_least,
        true as is_past,
        published.is_baseline as is_open,
        if(published.captured_at = last_readings.view_captured_at, last_readings.view_count, 0) as opening_count
    from published
    inner join last_readings using (video_id)
    union all by name
    select
        last_readings.video_id,
        false as is_organic,
        last_readings.view_captured_at as captured_at,
        last_readings.view_exact,
        last_readings.view_count as view_at_least,
        true as is_past,
        false as is_open,
        last_readings.view_count as opening_count
    from last_readings
    semi join organic using (video_id)
    anti join published using (video_id)
    where last_readings.view_count is not null
{%- endset %}

with

last_readings_of_touched as (
    select published.* from {{ source('control', 'video_last_readings') }} as published
    semi join {{ touched }} using (video_id)
),

late as (
    select video_id
    from {{ touched }} as touched
    inner join last_readings_of_touched as last_readings using (video_id)
    where touched.from_at <= last_readings.last_captured_at
),

-- A late reading of a post makes its whole history be reread, as in video_deltas.

last_readings as (
    select published.* from last_readings_of_touched as published
    anti join late using (video_id)
),

published_of_touched as (
    select published.* from {{ source('control', 'video_view_meanings') }} as published
    semi join {{ touched }} using (video_id)
),

published as (
    select published.* from published_of_touched as published
    anti join late using (video_id)
),

newly_known as not materialized (
    {{ new_facts(facts, "captured_at") }}
),

organic as materialized (
    select video_id from newly_known
    where is_organic
    union
    select video_id from published_of_touched
),

late_organic as (
    select video_id from late
    semi join organic using (video_id)
),

readings as (
    select newly_known.* from newly_known
    semi join organic using (video_id)
    {{ opening("select * from " ~ facts ~ " as history semi join late_organic using (video_id)") }}
),

by_meaning as (
    select
        video_id,
        captured_at,
        is_organic,
        max(view_count) filter (where is_exact) as view_exact,
        coalesce(view_exact, max({{ lower_bound("view_count") }})) as view_at_least,
        false as is_past,
        false as is_open,
        0 as opening_count
    from readings
    group by video_id, captured_at, is_organic
),

-- Of readings at the same instant, the one that includes paid views counts.

spine as (
    select * from by_meaning
    qualify row_number() over (partition by video_id, captured_at order by is_organic) = 1
    {{ opening(opened) }}
),

counted as (
    select
        *,
        last_value(view_exact ignore nulls) over until_now as last_exact,
        if(is_past, view_at_least, coalesce(view_exact, greatest(view_at_least, last_exact))) as views_read,
        greatest(
            last_value(view_at_least) over earlier,
            last_value(view_exact ignore nulls) over earlier
        ) as views_before
    from spine
    window
        until_now as (
            partition by video_id, is_organic order by captured_at
            rows between unbounded preceding and current row
        ),
        earlier as (
            partition by video_id, is_organic order by captured_at
            rows between unbounded preceding and 1 preceding
        )
),

switched as (
    select
        *,
        row_number() over in_time as position,
        coalesce(is_organic <> lag(is_organic) over in_time, false) as is_switch
    from counted
    window in_time as (partition by video_id order by captured_at)
),

-- How many consecutive readings changed their meaning from the one before: every second one changes the
-- counts.

alternating as (
    select
        *,
        position - last_value(
            if(not is_switch or is_past, position - if(is_open, 1, 0), null) ignore nulls
        ) over in_time as switches
    from switched
    window in_time as (
        partition by video_id order by captured_at
        rows between unbounded preceding and current row
    )
),

changed as (
    select
        *,
        if(is_past, is_open, is_switch and switches % 2 = 1) as is_baseline,
        case
            when is_past then opening_count
            when is_baseline then 0
            else views_read - coalesce(views_before, 0)
        end as view_delta
    from alternating
)

select
    video_id,
    captured_at,
    is_organic,
    last_exact as view_exact,
    view_exact is not null as is_exact,
    views_read,
    is_baseline,
    is_past,
    cast(view_delta as bigint) as view_delta,
    cast(
        sum(view_delta) over (
            partition by video_id order by captured_at
            rows between unbounded preceding and current row
        ) as bigint
    ) as view_count
from changed
