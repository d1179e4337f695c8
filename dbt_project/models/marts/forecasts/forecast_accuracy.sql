with

tests as (
    select
        *,
        actual_views >= {{ forecast_fewest_views() }} as is_measured,
        abs(views - actual_views) * 1000000 // nullif(actual_views, 0) as error,
        abs(baseline_views - actual_views) * 1000000 // nullif(actual_views, 0) as baseline_error,
        if(views > 0, cast(actual_views as hugeint) * 1000000 // views, null) as came
    from {{ ref('forecast_backtest') }}
),

errors as (
    select
        organization_id,
        entity,
        days,
        count(*) filter (where is_measured) as tests,
        count(distinct day) filter (where is_measured) as weeks,
        count(low_views) as intervals,
        count(*) filter (where actual_views between low_views and high_views) as held,
        sum(error) filter (where is_measured) as error,
        sum(baseline_error) filter (where is_measured) as baseline_error,
        quantile_disc(came, [0.1, 0.9]) as ends
    from tests
    group by organization_id, entity, days
),

judged as (
    select
        *,
        {{ enough_tests("tests", "weeks") }} as is_enough
    from errors
)

select
    organization_id,
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
