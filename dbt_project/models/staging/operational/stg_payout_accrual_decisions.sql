with

copied as (
    select * from {{ source('operational', 'payout_accrual_decisions') }}
)

select
    accrual_id,
    decision,
    note,
    decided_at,
    organization_id,
    project_id,
    structure_id,
    version_id,
    version_number,
    creator_id,
    criteria_type,
    period_start,
    period_end,
    subject_id,
    view_count,
    kind,
    adjusts_accrual_id,
    adjustment_number,
    booked_in,
    currency,
    amount_cents,
    precise_amount,
    limited_by,
    timezone,
    reason,
    computed_at,
    copied_in
from copied
