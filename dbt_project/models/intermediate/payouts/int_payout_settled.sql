with

adjustments as (
    select * from {{ ref('int_payout_copies') }}
    where kind = 'adjustment'
)

select
    adjusts_accrual_id as accrual_id,
    cast(sum(amount_cents) as bigint) as settled_cents,
    rules.next_number(list(adjustment_number)) as next_number, -- in any order: the least not among them
    arg_min(accrual_id, adjustment_number) as first_adjustment_id,
    to_json(
        {{ list_by("adjustment_number", "{'accrual_id': accrual_id, 'amount_cents': amount_cents}") }}
    ) as evidence
from adjustments
group by adjusts_accrual_id
