select
    creator_id,
    cast(timezone('UTC', occurred_at) as date) as utc_day,
    count(*) as conversions,
    bit_xor(hash(hash(
        conversion_id, conversion_event_id, account_id, quantity, total_value_cents, occurred_at
    ))) as digest
from {{ ref('int_paying_conversions') }}
semi join {{ ref('int_payout_payees') }} using (creator_id)
group by creator_id, utc_day
