select
    forecasts.organization_id,
    forecasts.project_id,
    forecasts.entity,
    forecasts.entity_id,
    forecasts.cut_day + 1 as from_day,
    forecasts.cut_day + forecasts.days as day,
    forecasts.views,
    {{ forecast_end("forecasts.views", "spread.low_ratio") }} as low_views,
    {{ forecast_end("forecasts.views", "spread.high_ratio") }} as high_views,
    forecasts.baseline_views,
    {{ forecast_hidden_because("spread") }} as hidden_because
from {{ ref('int_forecasts') }} as forecasts
left join {{ ref('int_forecast_spread') }} as spread using (organization_id, entity)
