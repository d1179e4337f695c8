select
    conversion_event_id,
    organization_id,
    project_id,
    key,
    name,
    currency,
    is_active,
    created_at
from {{ ref('stg_conversion_events') }}
