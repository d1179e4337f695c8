{{ config(
    materialized="incremental",
    meta={"key": "organization_id", "replaces": "entities", "touched": "int_touched_forecasts"}
) }}

with

{{ growth_increments(ref('int_touched_forecasts'), since="read_from") }},

recent as (
    select
        *,
        gained * 1000000 // base as ppm
    from increments
    where day > cut_day - {{ forecast_fit_days() }}
),

summed as (
    select
        organization_id,
        project_id,
        platform,
        views_from,
        age_days,
        cut_day as through_day,
        count(*) as steps,
        cast(sum(gained) * 1000000 // sum(base) as bigint) as growth,
        quantile_disc(ppm, [0.1, 0.5, 0.9]) as growths
    from recent
    group by organization_id, project_id, platform, views_from, age_days, cut_day
)

select
    organization_id,
    project_id,
    platform,
    views_from,
    cast(age_days as integer) as age_days,
    through_day,
    steps,
    {{ as_millionths("growth") }} as growth,
    {{ as_millionths("growths[1]") }} as growth_p10,
    {{ as_millionths("growths[2]") }} as growth_p50,
    {{ as_millionths("growths[3]") }} as growth_p90
from summed
