with

copied as (
    select * from {{ source('operational', 'conversions') }}
)

select
    id as conversion_id,
    organization_id,
    project_id,
    conversion_event_id,
    target_type,
    creator_id,
    account_id,
    video_id,
    value_cents,
    quantity,
    total_value_cents,
    source,
    label,
    voided_at is not null as is_voided,
    occurred_at,
    created_at as recorded_at
from copied
where occurred_at <= {{ as_of() }}
