{{ config(
    materialized="incremental",
    meta={"key": "organization_id", "replaces": "entities", "touched": "int_touched_forecasts"}
) }}

{%- set horizons %}
        select
            *,
            unnest(range(1, {{ forecast_most_days() + 1 }})) as days
        from (select distinct project_id, cut_day from posts)
{%- endset %}

with

{{ forecasts_of_views(horizons, ref('int_touched_forecasts'), since="read_from") }} -- noqa

select
    organization_id,
    project_id,
    entity,
    entity_id,
    cut_day,
    cast(days as integer) as days,
    views,
    baseline_views
from forecasts
