with

goals as (
    select * from {{ ref('int_payout_goal_periods') }}
),

gains as (
    {{ goal_gains(
        "goals",
        ref('int_payout_goal_videos'),
        ref('int_payout_follower_days'),
        since=least_of(ref('int_payout_goal_periods'), "period_start", "date"),
        kept=ref('int_payout_kept_videos'),
    ) }}
)

select
    goals.payee_id,
    goals.period_start,
    goals.goal_id,
    goals.metric,
    goals.target_value,
    cast(coalesce(sum(gains.gained), 0) as bigint) as actual
from goals
left join gains using (payee_id, period_start, goal_id)
group by all
