with

copied as (
    select * from {{ source('operational', 'projects') }}
)

select
    id as project_id,
    organization_id,
    name,
    is_archived,
    created_at
from copied
