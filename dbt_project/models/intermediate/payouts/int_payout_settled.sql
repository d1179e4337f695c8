with

adjustments as (
    select
        *,
        row_number() over (partition by adjusts_accrual_id order by adjustment_number) as place
    from {{ ref('int_payout_copies') }}
    where kind = 'adjustment'
)

select
    adjusts_accrual_id as accrual_id,
    cast(sum(amount_cents) as bigint) as settled_cents,
    coalesce(
        min(place) filter (where adjustment_number > place), count(*) + 1
    ) as next_number,
    arg_min(accrual_id, adjustment_number) as first_adjustment_id,
    to_json(
        {{ list_by("adjustment_number", "{'accrual_id': accrual_id, 'amount_cents': amount_cents}") }}
    ) as evidence
from adjustments
group by adjusts_accrual_id
