with

copied as (
    select * from {{ source('operational', 'payout_disputes') }}
)

select
    id as dispute_id,
    organization_id,
    project_id,
    creator_id,
    structure_id,
    accrual_id,
    period_start,
    period_end,
    currency,
    amount_cents,
    state,
    opened_at,
    opened_by,
    due_at,
    answered_at,
    resolved_at,
    correction_id,
    correction_cents
from copied
