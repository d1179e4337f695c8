with

copied as (
    select * from {{ source('operational', 'payout_versions') }}
)

select
    id as version_id,
    organization_id,
    structure_id,
    number as version_number,
    period,
    amount_cents,
    criteria_type,
    criteria_params,
    proration_mode,
    backfill_on_assignment,
    period_anchor,
    platform_scope,
    platform,
    account_id,
    hold_anomalies,
    created_at
from copied
