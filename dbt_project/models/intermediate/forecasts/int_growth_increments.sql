{{ config(
    materialized="incremental",
    meta={"key": "organization_id", "replaces": "days", "touched": "int_touched_forecasts"}
) }}

with

posts as (
    {{ scoped(ref('int_forecast_posts'), ref('int_touched_forecasts'), 'organization_id', tells=true) }}
),

readings as (
    select
        posts.*,
        daily.day,
        daily.cumulative_views as views,
        lag(daily.day) over of_post as day_before,
        lag(daily.cumulative_views) over of_post as views_before
    from {{ ref('video_daily') }} as daily
    inner join posts using (video_id)
    where
        daily.cumulative_views is not null
        and daily.day <= posts.cut_day
        and daily.day >= {{ least_of(ref('int_touched_forecasts'), "read_from", "date") }}
    window of_post as (partition by daily.video_id order by daily.day)
),

-- Between readings on non-consecutive days, growth is spread evenly.

days_between as (
    select
        *,
        cast(day - day_before as integer) as days,
        unnest(range(cast(day - day_before as integer))) as day_number
    from readings
    where
        day >= touched_from
        and day_before >= appeared_on
        and day - day_before <= {{ forecast_bound("alive_days") }}
        and views_before > 0
),

grown as (
    select
        *,
        views_before + (views - views_before) * day_number // days as base,
        views_before + (views - views_before) * (day_number + 1) // days as after
    from days_between
),

-- One viral post does not set the rule for others.

increments as (
    select
        organization_id,
        platform,
        day,
        {{ views_from("views_before") }} as views_from,
        least(day_before - appeared_on + day_number, {{ forecast_bound("oldest_age") }}) as age_days,
        base,
        least(after - base, 3 * base) as gained
    from grown
    where base > 0
)

select
    organization_id,
    platform,
    views_from,
    age_days,
    day,
    count(*) as increments,
    cast(sum(base) as bigint) as base,
    cast(sum(gained) as bigint) as gained,
    list_sort(list(gained * 1000000 // base)) as growths
from increments
group by organization_id, platform, views_from, age_days, day
order by day
