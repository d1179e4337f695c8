with

made as (
    select
        organization_id,
        project_id,
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
        project_id,
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
        project_id,
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

-- In projects with ten or more creators, creators are tested on Sundays only: that is enough.

creators as (
    select
        project_id,
        metric,
        count(distinct entity_id) as creators
    from made
    where entity = 'creator'
    group by project_id, metric
),

tests as (
    select made.*
    from made
    left join creators using (project_id, metric)
    where made.entity <> 'creator' or isodow(made.cut_day) = 7 or creators.creators < 10
    qualify made.day > max(made.day) over (partition by made.project_id) - {{ forecast_tested_days() }}
),

cuts as (
    select distinct
        project_id,
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

-- What was known at the cut: the results of forecasts whose end had come by then.

spread as (
    select
        cuts.project_id,
        cuts.metric,
        cuts.entity,
        cuts.days,
        cuts.cut_day,
        {{ tested_tenths("tests.") }} as tenths,
        {{ independent_tests("tests.") }} as independent
    from cuts
    inner join ended as tests using (project_id, metric, entity, days)
    where tests.day <= cuts.cut_day
    group by all
    having {{ enough_tests("tests.") }}
),

known as (
    select
        *,
        {{ interval_end("tenths", 1, "independent") }} as low,
        {{ interval_end("tenths", 3, "independent") }} as high
    from spread
)

select
    tests.organization_id,
    tests.project_id,
    tests.metric,
    tests.entity,
    tests.entity_id,
    tests.cut_day,
    tests.days,
    tests.day,
    tests.expected,
    {{ whole_forecast("tests.expected * known.low // 1000000") }} as low,
    {{ whole_forecast("tests.expected * known.high // 1000000") }} as high,
    tests.baseline,
    tests.actual
from tests
left join known using (project_id, metric, entity, days, cut_day)
