-- An accrual's frozen amount, its settled adjustments and its open one add up to the amount owed now
-- (money.md M19). Nothing is corrected before the period has ended.
with

frozen as (
    select
        accrual_id,
        period_end,
        timezone
    from {{ ref('payout_accruals') }}
    where kind = 'earning' and payment_id is not null
),

ended as (
    select frozen.accrual_id
    from frozen
    inner join {{ ref('payout_zones') }} as zones using (timezone)
    where frozen.period_end < zones.today
),

totals as (
    select
        coalesce(adjusts_accrual_id, accrual_id) as accrual_id,
        sum(amount_cents) as listed_cents
    from {{ ref('payout_accruals') }}
    group by all
)

select
    totals.accrual_id,
    totals.listed_cents,
    owed.amount_cents as owed_cents
from ended
inner join totals using (accrual_id)
left join {{ ref('payout_earned') }} as owed using (accrual_id)
where totals.listed_cents <> coalesce(owed.amount_cents, 0)
