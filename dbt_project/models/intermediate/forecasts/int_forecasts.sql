{{ config(
    materialized="continued",
    meta={"key": "organization_id", "replaces": "entities", "touched": "int_touched_forecasts"}
) }}

{%- set asked %}
        select
            organization_id,
            cut_day,
            unnest(range(1, {{ forecast_most_days() + 1 }})) as days
        from ({{ scoped(ref('int_forecast_cuts'), ref('int_touched_forecasts'), 'organization_id') }})
{%- endset %}

with

{{ forecasts_of_views(asked, ref('int_touched_forecasts')) }}

select
    organization_id,
    entity,
    entity_id,
    cut_day,
    cast(days as integer) as days,
    views,
    baseline_views
from forecasts
