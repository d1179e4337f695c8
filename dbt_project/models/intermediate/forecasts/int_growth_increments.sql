{{ config(
    materialized="incremental",
    meta={"key": "organization_id", "replaces": "days", "touched": "int_touched_forecasts"}
) }}

with

{{ growth_increments(ref('int_touched_forecasts'), since="increments_from") }}

select
    organization_id,
    project_id,
    platform,
    views_from,
    age_days,
    day,
    count(*) as increments,
    cast(sum(base) as bigint) as base,
    cast(sum(gained) as bigint) as gained
from increments
where day >= touched_from
group by organization_id, project_id, platform, views_from, age_days, day
order by day
