with

-- A copy of an ended period that needs no adjustment stays until a decision is made or the amount owed
-- changes.

settled as (
    select
        copies.accrual_id,
        copies.period_end
    from {{ ref('int_payout_copies') }} as copies
    inner join {{ ref('payout_zones') }} as zones using (timezone)
    where copies.kind = 'earning' and zones.today > copies.period_end
),

open as (
    select adjusts_accrual_id as accrual_id
    from {{ ref('int_payout_adjustments') }}
),

-- Owed on another day than when it was paid: a change on the new day does not touch the copy's day.

moved as (
    select settled.accrual_id
    from settled
    inner join {{ ref('payout_earned') }} as earned using (accrual_id)
    where settled.period_end <> earned.period_end
),

at_rest as (
    select accrual_id
    from settled
    anti join open using (accrual_id)
    anti join moved using (accrual_id)
)

select accrual_id
from {{ ref('int_touched_accruals') }}
anti join at_rest using (accrual_id)
