with

on_hold as (
    select distinct accrual_id
    from marts.payout_holds
    where is_held
),

accruals as (
    select * from marts.payout_accruals
    where period_start <= $to_day and period_end >= $from_day
)

select
    accruals.structure_id,
    accruals.creator_id,
    sum(accruals.amount_cents) as amount_cents,
    coalesce(sum(accruals.amount_cents) filter (where on_hold.accrual_id is not null), 0) as held_cents
from accruals
left join on_hold using (accrual_id)
group by accruals.structure_id, accruals.creator_id
order by accruals.structure_id, accruals.creator_id
