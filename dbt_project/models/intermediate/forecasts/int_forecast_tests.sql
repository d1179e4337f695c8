{{ config(
    materialized="continued",
    meta={"key": "organization_id", "replaces": "days", "touched": "int_touched_forecasts"}
) }}

{%- set asked %}
        select
            organization_id,
            day - days as cut_day,
            days
        from lengths
        where day - days >= first_day + 27
{%- endset %}

with

beginnings as (
    select
        organization_id,
        min(first_day) as first_day
    from ({{ scoped(ref('int_forecast_posts'), ref('int_touched_forecasts'), 'organization_id') }})
    group by organization_id
),

last_days as (
    {{ scoped(ref('int_forecast_cuts'), ref('int_touched_forecasts'), 'organization_id', tells=true) }}
),

spans as (
    select
        last_days.organization_id,
        last_days.cut_day,
        beginnings.first_day,
        greatest(last_days.touched_from, beginnings.first_day) as from_day
    from last_days
    inner join beginnings using (organization_id)
),

-- Sundays: what lies between two of them are whole weeks.

weeks as (
    select
        organization_id,
        first_day,
        cast(unnest(generate_series(
            from_day + cast((7 - isodow(from_day)) as integer), cut_day, interval 7 days
        )) as date) as day
    from spans
),

lengths as (
    select
        *,
        unnest({{ forecast_test_days() }}) as days
    from weeks
),

{{ forecasts_of_views(asked, ref('int_touched_forecasts')) }},

ended as (
    select
        *,
        cut_day + days as day
    from forecasts
),

gained as (
    select
        members.entity_id,
        daily.day,
        sum(daily.new_views) as views
    from daily
    inner join members using (organization_id, video_id)
    group by members.entity_id, daily.day
),

came as (
    select
        ended.entity_id,
        ended.cut_day,
        ended.days,
        cast(sum(gained.views) as bigint) as views
    from ended
    inner join gained using (entity_id)
    where gained.day > ended.cut_day and gained.day <= ended.day
    group by ended.entity_id, ended.cut_day, ended.days
)

select
    ended.organization_id,
    ended.entity,
    ended.entity_id,
    ended.cut_day,
    ended.days,
    ended.day,
    ended.views,
    ended.baseline_views,
    coalesce(came.views, 0) as actual_views
from ended
left join came using (entity_id, cut_day, days)
order by ended.day
