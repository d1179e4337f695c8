{{ config(
    materialized="incremental",
    meta={"key": "organization_id", "replaces": "days", "touched": "int_touched_forecasts"}
) }}

{%- set horizons %}
        select
            tests.project_id,
            tests.day - tests.days as cut_day,
            tests.days
        from (
            select
                test_days.*,
                unnest({{ forecast_test_days() }}) as days
            from (
                select
                    beginnings.project_id,
                    beginnings.first_day,
                    cast(unnest(generate_series(
                        greatest(organizations.touched_from, beginnings.first_day),
                        organizations.cut_day,
                        interval 1 day
                    )) as date) as day
                from beginnings
                inner join organizations using (organization_id)
            ) as test_days
        ) as tests
        where
            tests.day - tests.days >= tests.first_day + 6
            and (
                isodow(tests.day - tests.days) = 7
                or tests.day - tests.days < tests.first_day + {{ forecast_daily_tests() }}
            )
{%- endset %}

with

organizations as (
    {{ scoped(ref('int_forecast_cuts'), ref('int_touched_forecasts'), 'organization_id', tells=true) }}
),

{{ forecasts_of_views(horizons, ref('int_touched_forecasts'), since="tests_read_from") }}, -- noqa

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
        sum(sum(daily.new_views)) over (partition by members.entity_id order by daily.day) as views
    from daily
    inner join members using (project_id, video_id)
    group by members.entity_id, daily.day
)

select
    ended.organization_id,
    ended.project_id,
    ended.entity,
    ended.entity_id,
    ended.cut_day,
    ended.days,
    ended.day,
    ended.views,
    ended.baseline_views,
    cast(coalesce(by_end.views, 0) - coalesce(by_cut.views, 0) as bigint) as actual_views
from ended
asof left join gained as by_end
    on ended.entity_id = by_end.entity_id and ended.day >= by_end.day
asof left join gained as by_cut
    on ended.entity_id = by_cut.entity_id and ended.cut_day >= by_cut.day
order by ended.day
