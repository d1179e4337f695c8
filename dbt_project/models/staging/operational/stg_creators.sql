with

copied as (
    select * from {{ source('operational', 'creators') }}
)

select
    id as creator_id,
    organization_id,
    project_id,
    display_name,
    is_active,
    deactivated_at is not null as is_deactivated,
    created_at
from copied
