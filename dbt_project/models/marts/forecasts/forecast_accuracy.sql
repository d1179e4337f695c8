with

tests as (
    select
        *,
        abs(cast(expected - actual as hugeint)) * 1000000 // nullif(actual, 0) as error,
        abs(cast(baseline - actual as hugeint)) * 1000000 // nullif(actual, 0) as baseline_error,
        if(expected > 0, cast(actual as hugeint) * 1000000 // expected, null) as ppm
    from {{ ref('forecast_backtest') }}
),

measured as (
    select
        project_id,
        metric,
        entity,
        days,
        count(*) as tests,
        sum(error) as error,
        sum(baseline_error) as baseline_error,
        {{ enough_tests() }} as is_enough
    from tests
    where actual >= {{ forecast_fewest("metric") }}
    group by project_id, metric, entity, days
),

spread as (
    select
        organization_id,
        project_id,
        metric,
        entity,
        days,
        count(low) as intervals,
        count(*) filter (where actual between low and high) as covered,
        {{ tested_tenths() }} as tenths,
        {{ independent_tests() }} as independent
    from tests
    group by organization_id, project_id, metric, entity, days
),

judged as (
    select
        spread.*,
        coalesce(measured.tests, 0) as tests,
        measured.error,
        measured.baseline_error,
        coalesce(measured.is_enough, false) as is_enough
    from spread
    left join measured using (project_id, metric, entity, days)
)

select
    organization_id,
    project_id,
    metric,
    entity,
    days,
    tests,
    {{ as_millionths("error // nullif(tests, 0)") }} as mape,
    {{ as_millionths("baseline_error // nullif(tests, 0)") }} as baseline_mape,
    {{ as_millionths("covered * 1000000 // nullif(intervals, 0)") }} as coverage,
    if(is_enough, {{ as_millionths(interval_end("tenths", 1, "independent")) }}, null) as low_ratio,
    if(is_enough, {{ as_millionths(interval_end("tenths", 3, "independent")) }}, null) as high_ratio,
    case
        when not is_enough then 'too_few_tests'
        when error >= baseline_error then 'no_better_than_baseline'
    end as hidden_because
from judged
