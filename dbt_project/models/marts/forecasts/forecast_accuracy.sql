with

tests as (
    select
        *,
        actual >= {{ forecast_fewest("metric") }} as is_measured,
        abs(expected - actual) * 1000000 // nullif(actual, 0) as error,
        abs(baseline - actual) * 1000000 // nullif(actual, 0) as baseline_error,
        if(expected > 0, cast(actual as hugeint) * 1000000 // expected, null) as came
    from {{ ref('forecast_backtest') }}
),

errors as (
    select
        organization_id,
        metric,
        entity,
        days,
        count(*) filter (where is_measured) as tests,
        count(distinct day) filter (where is_measured) as weeks,
        count(low) as intervals,
        count(*) filter (where actual between low and high) as held,
        sum(error) filter (where is_measured) as error,
        sum(baseline_error) filter (where is_measured) as baseline_error,
        quantile_disc(came, [0.1, 0.9]) as ends
    from tests
    group by organization_id, metric, entity, days
),

judged as (
    select
        *,
        {{ enough_tests("tests", "weeks") }} as is_enough
    from errors
)

select
    organization_id,
    metric,
    entity,
    days,
    tests,
    {{ as_millionths("error // nullif(tests, 0)") }} as mape,
    {{ as_millionths("baseline_error // nullif(tests, 0)") }} as baseline_mape,
    {{ as_millionths("held * 1000000 // nullif(intervals, 0)") }} as coverage,
    if(is_enough, {{ as_millionths("ends[1]") }}, null) as low_ratio,
    if(is_enough, {{ as_millionths("ends[2]") }}, null) as high_ratio,
    case
        when not is_enough then 'too_few_tests'
        when error >= baseline_error then 'no_better_than_baseline'
    end as hidden_because
from judged
