with

copied as (
    select * from {{ source('operational', 'payout_structures') }}
)

select
    id as structure_id,
    organization_id,
    project_id,
    name,
    is_active,
    archived_at,
    timezone,
    created_at
from copied
