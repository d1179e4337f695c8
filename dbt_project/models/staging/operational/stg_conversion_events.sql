with

copied as (
    select * from {{ source('operational', 'conversion_events') }}
)

select
    id as conversion_event_id,
    organization_id,
    project_id,
    name,
    currency,
    is_active
from copied
