with

made as (
    select
        organization_id,
        'views' as metric,
        entity,
        entity_id,
        cut_day,
        days,
        day,
        views as expected,
        baseline_views as baseline,
        actual_views as actual
    from {{ ref('int_forecast_tests') }}
    union all by name
    select
        organization_id,
        'posts' as metric,
        'creator' as entity,
        creator_id as entity_id,
        cut_day,
        days,
        day,
        posts as expected,
        baseline_posts as baseline,
        actual_posts as actual
    from {{ ref('int_posting_tests') }}
    union all by name
    select
        organization_id,
        'payouts' as metric,
        entity,
        entity_id,
        cut_day,
        days,
        day,
        cents as expected,
        baseline_cents as baseline,
        actual_cents as actual
    from {{ ref('int_payout_tests') }}
),

tests as (
    select * from made
    qualify day > max(day) over (partition by organization_id) - {{ forecast_tested_days() }}
),

cuts as (
    select distinct
        organization_id,
        metric,
        entity,
        days,
        cut_day
    from tests
),

ended as (
    select
        *,
        cast(actual as hugeint) * 1000000 // expected as ppm
    from tests
    where expected > 0
),

-- What was known at the cut: how forecasts ended that were to have come true by then.

known as (
    select
        cuts.organization_id,
        cuts.metric,
        cuts.entity,
        cuts.days,
        cuts.cut_day,
        quantile_disc(ended.ppm, [0.1, 0.9]) as ends
    from cuts
    inner join ended using (organization_id, metric, entity, days)
    where ended.day <= cuts.cut_day
    group by all
    having {{ enough_tests("count(*)", "count(distinct ended.day)") }}
)

select
    tests.organization_id,
    tests.metric,
    tests.entity,
    tests.entity_id,
    tests.cut_day,
    tests.days,
    tests.day,
    tests.expected,
    {{ whole_forecast("tests.expected * known.ends[1] // 1000000") }} as low,
    {{ whole_forecast("tests.expected * known.ends[2] // 1000000") }} as high,
    tests.baseline,
    tests.actual
from tests
left join known using (organization_id, metric, entity, days, cut_day)
