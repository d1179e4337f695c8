select
    payment_id,
    organization_id,
    project_id,
    creator_id,
    amount_cents,
    currency,
    status,
    paid_at,
    created_at
from {{ ref('stg_payout_payments') }}
