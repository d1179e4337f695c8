with

forecasts as (
    select
        *,
        {{ forecast_tested_as("days") }} as tested_days
    from {{ ref('int_forecasts') }}
),

accuracy as (
    select * from {{ ref('forecast_accuracy') }}
    where metric = 'views'
)

select
    forecasts.organization_id,
    forecasts.project_id,
    forecasts.entity,
    forecasts.entity_id,
    forecasts.cut_day + 1 as from_day,
    forecasts.cut_day + forecasts.days as day,
    forecasts.views,
    {{ forecast_end("forecasts.views", "accuracy.low_ratio") }} as low_views,
    {{ forecast_end("forecasts.views", "accuracy.high_ratio") }} as high_views,
    forecasts.baseline_views,
    forecasts.tested_days,
    {{ forecast_hidden_because("accuracy") }} as hidden_because
from forecasts
left join accuracy
    on
        forecasts.project_id = accuracy.project_id
        and forecasts.entity = accuracy.entity
        and forecasts.tested_days = accuracy.days
