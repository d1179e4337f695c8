with

periods as (
    select * from {{ ref('int_goal_periods') }}
),

gains as (
    select
        goal_id,
        period,
        period_start,
        cast(sum(gained) as bigint) as gained
    from {{ ref('int_goal_gains') }}
    group by goal_id, period, period_start
),

measured as (
    select
        periods.*,
        coalesce(gains.gained, 0) as actual,
        cast(epoch_us({{ as_of() }}) - epoch_us(periods.starts_at) as hugeint) as elapsed,
        cast(epoch_us(periods.ends_at) - epoch_us(periods.starts_at) as hugeint) as length
    from periods
    left join gains using (goal_id, period, period_start)
),

-- What is due by now, times `length`: whole posts (M22).

paced as (
    select
        *,
        if(
            metric = 'posts', target_value * elapsed // length * length, target_value * elapsed
        ) as due
    from measured
)

select
    goal_id,
    goal_state_id,
    organization_id,
    project_id,
    creator_id,
    metric,
    period,
    start_date,
    end_date,
    platform_scope,
    platform,
    account_id,
    period_start,
    period_end,
    starts_at,
    ends_at,
    target_value,
    actual,
    cast(
        cast({{ half_up("actual * cast(1000 as hugeint)", "target_value") }} as decimal(20, 0)) * 0.1
        as decimal(20, 1)
    ) as percentage,
    case
        when is_ended then if(actual >= target_value, 'completed', 'missed')
        when elapsed * 100 <= length * 15 or actual * length >= due then 'on_track'
        when actual * length * 10 >= due * 7 then 'behind_pace'
        else 'at_risk'
    end as status
from paced
