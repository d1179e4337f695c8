with

tests as (
    select * from {{ ref('int_forecast_tests') }}
    qualify day > max(day) over (partition by organization_id) - {{ forecast_tested_days() }}
),

cuts as (
    select distinct
        organization_id,
        entity,
        days,
        cut_day
    from tests
),

ended as (
    select
        *,
        cast(actual_views as hugeint) * 1000000 // views as ppm
    from tests
    where views > 0
),

-- What was known at the cut: how forecasts ended that were to have come true by then.

known as (
    select
        cuts.organization_id,
        cuts.entity,
        cuts.days,
        cuts.cut_day,
        quantile_disc(ended.ppm, [0.1, 0.9]) as ends
    from cuts
    inner join ended using (organization_id, entity, days)
    where ended.day <= cuts.cut_day
    group by cuts.organization_id, cuts.entity, cuts.days, cuts.cut_day
    having {{ enough_tests("count(*)", "count(distinct ended.day)") }}
)

select
    tests.organization_id,
    tests.entity,
    tests.entity_id,
    tests.cut_day,
    tests.days,
    tests.day,
    tests.views,
    cast(tests.views * known.ends[1] // 1000000 as bigint) as low_views,
    cast(tests.views * known.ends[2] // 1000000 as bigint) as high_views,
    tests.baseline_views,
    tests.actual_views
from tests
left join known using (organization_id, entity, days, cut_day)
