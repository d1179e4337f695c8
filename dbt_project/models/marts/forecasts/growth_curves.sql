{{ config(
    materialized="incremental",
    meta={"key": "organization_id", "replaces": "entities", "touched": "int_touched_forecasts"}
) }}

with

increments as (
    {{ scoped(
        ref('int_growth_increments'), ref('int_touched_forecasts'), 'organization_id', at="day", since="fit_from_day"
    ) }}
),

recent as (
    select
        increments.*,
        cuts.cut_day as through_day
    from increments
    inner join {{ ref('int_forecast_cuts') }} as cuts using (organization_id)
    where increments.day > cuts.cut_day - {{ forecast_bound("fit_days") }}
),

summed as (
    select
        organization_id,
        platform,
        views_from,
        age_days,
        through_day,
        cast(sum(increments) as bigint) as steps,
        cast(sum(gained) * 1000000 // sum(base) as bigint) as growth
    from recent
    group by all
),

each_growth as (
    select
        organization_id,
        platform,
        views_from,
        age_days,
        unnest(growths) as growth
    from recent
),

spread as (
    select
        organization_id,
        platform,
        views_from,
        age_days,
        quantile_disc(growth, [0.1, 0.5, 0.9]) as growths
    from each_growth
    group by all
)

select
    organization_id,
    platform,
    views_from,
    cast(age_days as integer) as age_days,
    summed.through_day,
    summed.steps,
    {{ as_millionths("summed.growth") }} as growth,
    {{ as_millionths("spread.growths[1]") }} as growth_p10,
    {{ as_millionths("spread.growths[2]") }} as growth_p50,
    {{ as_millionths("spread.growths[3]") }} as growth_p90
from summed
inner join spread using (organization_id, platform, views_from, age_days)
