select
    budget_id,
    organization_id,
    project_id,
    campaign_id,
    structure_id,
    name,
    amount_cents,
    period,
    thresholds,
    on_exceeded,
    created_at
from {{ ref('stg_payout_budgets') }}
