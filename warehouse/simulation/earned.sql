with

parts as (
    select
        accrual_id,
        video_id,
        cast(sum(paid_views) as bigint) as views,
        cast(sum(amount_cents) as bigint) as amount_cents
    from marts.payout_costs
    group by accrual_id, video_id
),

listed as (
    select
        accrual_id,
        list(
            { 'video_id': video_id, 'views': views, 'amount_cents': amount_cents }
            order by amount_cents desc, video_id asc
        ) as parts
    from parts
    group by accrual_id
),

accruals as (
    select * from marts.payout_accruals
    where period_start <= $to_day and period_end >= $from_day
)

select
    accruals.*, -- noqa: AM04
    listed.parts
from accruals
left join listed using (accrual_id)
order by accruals.creator_id, accruals.period_start, accruals.accrual_id
