with

copied as (
    select * from {{ source('operational', 'payout_hold_releases') }}
)

select
    accrual_id,
    anomaly_id,
    organization_id,
    project_id,
    released_at
from copied
