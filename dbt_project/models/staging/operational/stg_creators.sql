with

copied as (
    select * from {{ source('operational', 'creators') }}
)

select
    id as creator_id,
    organization_id,
    project_id,
    display_name,
    is_active
from copied
