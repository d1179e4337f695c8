with

forecasts as (
    select
        *,
        {{ forecast_tested_as("days") }} as tested_days
    from {{ ref('int_forecasts') }}
),

accuracy as (
    select * from {{ ref('forecast_accuracy') }}
)

select
    forecasts.organization_id,
    forecasts.entity,
    forecasts.entity_id,
    forecasts.cut_day + 1 as from_day,
    forecasts.cut_day + forecasts.days as day,
    forecasts.views,
    cast(floor(forecasts.views * accuracy.low_ratio) as bigint) as low_views,
    cast(floor(forecasts.views * accuracy.high_ratio) as bigint) as high_views,
    forecasts.baseline_views,
    forecasts.tested_days,
    coalesce(accuracy.hidden_because, if(accuracy.tests is null, 'too_few_tests', null)) as hidden_because
from forecasts
left join accuracy
    on
        forecasts.organization_id = accuracy.organization_id
        and forecasts.entity = accuracy.entity
        and forecasts.tested_days = accuracy.days
