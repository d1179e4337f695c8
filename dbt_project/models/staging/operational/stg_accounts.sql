with

copied as (
    select * from {{ source('operational', 'accounts') }}
)

select
    id as account_id,
    organization_id,
    project_id,
    creator_id,
    platform,
    handle,
    display_name,
    is_active,
    removed_at,
    deactivated_at is not null as is_deactivated
from copied
