with

goals as (
    select * from {{ ref('int_payout_goal_periods') }}
),

-- The first count is gained in full if its post was posted since the goal counts (M7).

gains as (
    select
        goals.payee_id,
        goals.period_start,
        goals.goal_id,
        sum(
            case
                when counts.metric = 'posts' then 1
                when counts.is_first and counts.posted_on >= goals.counts_from then counts.count_to
                else counts.count_to - counts.count_from
            end
        ) as gained
    from goals
    inner join {{ ref('int_payout_goal_counts') }} as counts using (payee_id, period_start, metric)
    where
        coalesce(goals.account_id = counts.account_id, true)
        and coalesce(goals.platform = counts.platform, true)
    group by all
)

select
    goals.payee_id,
    goals.period_start,
    goals.goal_id,
    goals.metric,
    goals.target_value,
    goals.platform,
    goals.account_id,
    goals.counts_from,
    cast(coalesce(gains.gained, 0) as bigint) as actual
from goals
left join gains using (payee_id, period_start, goal_id)
