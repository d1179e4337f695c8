with

copied as (
    select * from {{ source('operational', 'payout_payments') }}
)

select
    id as payment_id,
    organization_id,
    project_id,
    creator_id,
    amount_cents,
    currency,
    status,
    paid_at,
    created_at,
    copied_in
from copied
