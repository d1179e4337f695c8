with

copied as (
    select * from {{ source('operational', 'organizations') }}
)

select
    id as organization_id,
    name,
    analytics_tz,
    payout_settling_days
from copied
