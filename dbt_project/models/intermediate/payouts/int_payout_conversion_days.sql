select
    conversions.creator_id,
    cast(timezone('UTC', conversions.occurred_at) as date) as utc_day,
    count(*) as conversions,
    bit_xor(hash(hash(
        conversions.conversion_id, conversions.conversion_event_id, conversions.project_id,
        conversions.account_id, conversions.quantity, conversions.total_value_cents, conversions.occurred_at
    ))) as digest
from {{ ref('int_paying_conversions') }} as conversions
semi join {{ ref('int_payout_payees') }} using (creator_id)
group by conversions.creator_id, utc_day
