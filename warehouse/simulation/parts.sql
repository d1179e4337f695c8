with

requested as (
    select accrual_id
    from marts.payout_accruals
    where period_start <= $to_day and period_end >= $from_day
),

parts as (
    select
        costs.accrual_id,
        costs.video_id,
        cast(sum(costs.paid_views) as bigint) as views,
        cast(sum(costs.amount_cents) as bigint) as amount_cents
    from marts.payout_costs as costs
    semi join requested on costs.accrual_id = requested.accrual_id
    group by costs.accrual_id, costs.video_id
)

select
    accrual_id,
    video_id,
    views,
    amount_cents
from parts
order by accrual_id asc, amount_cents desc, video_id asc
