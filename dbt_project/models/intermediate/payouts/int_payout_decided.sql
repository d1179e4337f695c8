with

decisions as (
    select * from {{ ref('stg_payout_accrual_decisions') }}
),

frozen as (
    select * from {{ ref('stg_payout_payment_accruals') }}
)

select coalesce(adjusts_accrual_id, accrual_id) as accrual_id
from decisions
union
select coalesce(adjusts_accrual_id, accrual_id) as accrual_id
from frozen
