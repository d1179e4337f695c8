with

copied as (
    select * from {{ source('operational', 'conversion_events') }}
)

select
    id as conversion_event_id,
    organization_id,
    project_id,
    key,
    name,
    currency,
    is_active,
    created_at
from copied
