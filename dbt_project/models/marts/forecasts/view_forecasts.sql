with

-- A campaign may have a single creator, so it has the spread of creators, as a structure has.
bounded as (
    select
        forecasts.*,
        {{ forecast_end("forecasts.views", "spread.low_ratio") }} as low_views,
        {{ forecast_end("forecasts.views", "spread.high_ratio") }} as high_views,
        {{ forecast_hidden_because("spread") }} as hidden_because
    from {{ ref('int_forecasts') }} as forecasts
    left join {{ ref('int_forecast_spread') }} as spread
        on
            forecasts.organization_id = spread.organization_id
            and if(forecasts.entity = 'project', 'project', 'creator') = spread.entity
)

select
    parts.organization_id,
    parts.project_id,
    parts.entity,
    parts.entity_id,
    parts.cut_day + 1 as from_day,
    parts.cut_day + parts.days as day,
    {{ within_whole("views") }} as views,
    {{ within_whole("low_views") }} as low_views,
    {{ within_whole("high_views") }} as high_views,
    parts.baseline_views,
    parts.hidden_because
from bounded as parts
left join bounded as wholes on parts.project_id = wholes.entity_id and parts.days = wholes.days
