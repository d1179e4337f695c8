{{ config(
    materialized="incremental",
    meta={"key": "organization_id", "replaces": "entities", "touched": "int_touched_forecasts"}
) }}

with

cuts as (
    select * from {{ ref('int_forecast_cuts') }}
),

creator_days as (
    {{ scoped(
        ref('creator_daily'), ref('int_touched_forecasts'), 'organization_id', at="day", since="fit_from_day"
    ) }}
),

days as (
    select
        organization_id,
        'creator' as entity,
        creator_id as entity_id,
        day,
        new_views
    from creator_days
    union all
    select
        organization_id,
        'project' as entity,
        project_id as entity_id,
        day,
        new_views
    from creator_days
),

-- Weeks are numbered backwards from the cut: 0 is the last one.

weeks as (
    select
        days.organization_id,
        days.entity,
        days.entity_id,
        cast(cuts.cut_day - days.day as integer) // 7 as week,
        sum(days.new_views) as views,
        min(min(days.day)) over of_entity <= cuts.cut_day - 6 - 7 * week as is_whole
    from days
    inner join cuts using (organization_id)
    where
        days.new_views is not null
        and days.day <= cuts.cut_day
        and days.day > cuts.cut_day - {{ forecast_bound("fit_days") }}
    group by days.organization_id, days.entity, days.entity_id, cuts.cut_day, week
    window of_entity as (partition by days.entity_id)
),

ratios as (
    select
        earlier.organization_id,
        earlier.entity,
        earlier.week,
        coalesce(later.views, 0) * 1000000 // earlier.views as ppm
    from weeks as earlier
    left join weeks as later
        on
            earlier.entity_id = later.entity_id
            and earlier.week - 1 = later.week
    where earlier.is_whole and earlier.week > 0 and earlier.views >= {{ forecast_bound("fewest_views") }}
),

spread as (
    select
        organization_id,
        entity,
        count(*) as ratios,
        quantile_disc(ppm, [0.1, 0.5, 0.9]) as tenths
    from ratios
    group by organization_id, entity
    having count(distinct week) >= {{ forecast_bound("fewest_weeks") }}
)

select
    organization_id,
    entity,
    {{ as_millionths(interval_end("tenths", 1, "ratios")) }} as low_ratio,
    {{ as_millionths(interval_end("tenths", 3, "ratios")) }} as high_ratio
from spread
where tenths[2] > 0
